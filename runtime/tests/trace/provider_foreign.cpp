// SPDX-License-Identifier: Apache-2.0
// A shared object that is no provider.
extern "C" int something_else() { return 1; }

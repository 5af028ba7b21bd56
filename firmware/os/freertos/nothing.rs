// SPDX-License-Identifier: Apache-2.0
// A package has to have a target.

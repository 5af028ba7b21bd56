// SPDX-License-Identifier: Apache-2.0
// Stands for a source file; the corpus is never compiled.

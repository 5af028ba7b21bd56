// SPDX-License-Identifier: Apache-2.0
/// \file ligament-container: runs the nodes of one CONTAINER.json in this process.
int main() { return 2; }

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the end-to-end tests share: bounded processes, real peers, the scripted target, the two laws."""

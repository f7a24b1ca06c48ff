# SPDX-License-Identifier: GPL-2.0-only
"""Adds facts about guests to the report of a test."""
import guest


def pytest_runtest_teardown(item):
    """Reports guests that died during the test or its fixtures: as properties `guest died` of
    the test case in the JUnit report."""
    item.user_properties += [("guest died", death) for death in guest.deaths]
    guest.deaths.clear()

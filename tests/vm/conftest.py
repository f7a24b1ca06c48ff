# SPDX-License-Identifier: GPL-2.0-only
"""What is to be known of a test besides whether it passed."""
import guest


def pytest_runtest_teardown(item):
    """Guests that died on the way, its fixtures' too: properties `guest died` of the test case in
    the JUnit report."""
    item.user_properties += [("guest died", death) for death in guest.deaths]
    guest.deaths.clear()

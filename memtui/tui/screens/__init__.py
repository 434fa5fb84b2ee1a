"""Screens: they own the state and hand it to the panes. One stylesheet lies beside each."""

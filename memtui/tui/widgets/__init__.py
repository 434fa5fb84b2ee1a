"""Widgets: they draw what screens hand them and report what the user does; no stores here."""

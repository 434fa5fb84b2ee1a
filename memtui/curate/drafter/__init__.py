"""The optional drafter: a program or local endpoint that words cards. Off unless the user set one."""

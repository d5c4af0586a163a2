"""Names of all that is installed and can be described."""

GROUPS = ("engines", "devices", "controllers", "behaviours")


def robot_types() -> list[str]:
    """Return the names of robot types."""
    from coopsim import plugins
    from coopsim.robots import built_in_names

    return sorted({*built_in_names(".robot"), *plugins.registered("robots")})


def describable() -> list[str]:
    """Return the names of all that is installed and can be described."""
    from coopsim import plugins

    return [*robot_types(), *(name for group in GROUPS for name in plugins.registered(group))]

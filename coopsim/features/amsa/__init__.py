"""Systems of components: model, schedule, devices, sections of files, commands, code generation."""

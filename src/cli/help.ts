import type { Command } from 'commander';

/**
 * Adds `help`, for commands of commands as well. A name that no command has is refused, as it is without `help`:
 * Commander would show the list of all commands, and not say why.
 */
export function addHelp(root: Command): void {
  for (const group of [root, ...root.commands].filter(isGroup)) {
    group
      .helpCommand(false)
      .command('help')
      .description('display help for command')
      .argument('[command...]', 'its name')
      .action((names: string[]) => findCommand(group, names).help());
  }
  root.addHelpText('beforeAll', ({ command }) => {
    const [name = '-'] = command.args;
    if (isGroup(command) && !name.startsWith('-')) findCommand(command, [name]);
    return '';
  });
}

// One that takes arguments does something itself, and what comes next need not be a command.
function isGroup({ commands, registeredArguments }: Command): boolean {
  return commands.length > 0 && registeredArguments.length === 0;
}

function findCommand(within: Command, [name, ...names]: readonly string[]): Command {
  if (name === undefined) return within;
  const found = within.commands.find((command) => command.name() === name);
  if (found !== undefined) return findCommand(found, names);
  // As if it were to be run: Commander then says that there is none, and which one may be meant.
  return isGroup(within) ? within.parse([name], { from: 'user' }) : within;
}

import type { CommandEntry, OptionEntry } from './command-entry.ts'
import { commandEntries, globalOptions } from './commands.ts'
import { type Ink, ink } from './view/ink.ts'

/** The help of the whole program, line by line. */
export function layProgramHelp(version: string): Ink[][] {
  return [
    [ink('bold', 'spritewright'), ` ${version}`, ink('dim', '  sprite animations, bought once, under a ceiling that you approved')],
    [],
    [ink('dim', 'Usage')],
    ['  spritewright <command> [names…] [options]'],
    [],
    [ink('dim', 'Commands')],
    ...layPairs(commandEntries.map((entry) => [`${entry.verb}${entry.takesNames ? ` ${entry.takes ?? '[names…]'}` : ''}`, entry.text])),
    [],
    ...layOptions('Options', globalOptions),
    [],
    [ink('dim', 'A name is a sprite, '), 'hero', ink('dim', ', or one animation of it, '), 'hero.walk', ink('dim', '.')],
    [ink('dim', 'A first try, free of charge: '), 'npx spritewright init', ink('dim', ', with the answer "This machine".')],
  ]
}

/** The help of one command, line by line. */
export function layCommandHelp(entry: CommandEntry): Ink[][] {
  return [
    [ink('bold', `spritewright ${entry.verb}`), ink('dim', `  ${entry.text}`)],
    [],
    [ink('dim', 'Usage')],
    [
      `  spritewright ${entry.verb}${entry.takesFirst === undefined ? '' : ` ${entry.takesFirst}`}${entry.takesNames ? ` ${entry.takes ?? '[names…]'}` : ''}${entry.options.length > 0 ? ' [options]' : ''}`,
    ],
    [],
    ...(entry.options.length > 0 ? [...layOptions('Options', entry.options), []] : []),
    ...layOptions('Everywhere', globalOptions),
    [],
    [ink('dim', 'Examples')],
    ...entry.examples.map((example): Ink[] => [`  spritewright ${example}`]),
  ]
}

function layOptions(title: string, options: readonly OptionEntry[]): Ink[][] {
  // Long names are aligned, with or without a short name.
  const hasShort = options.some((option) => option.flags.startsWith('-') && !option.flags.startsWith('--'))
  const align = (flags: string): string => (hasShort && flags.startsWith('--') ? `    ${flags}` : flags)
  return [[ink('dim', title)], ...layPairs(options.map((option) => [align(option.flags), option.text]))]
}

function layPairs(pairs: readonly (readonly [string, string])[]): Ink[][] {
  const width = Math.max(...pairs.map(([left]) => left.length))
  return pairs.map(([left, right]) => [`  ${left.padEnd(width)}   `, ink('dim', right)])
}

import { SpritewrightError } from '../../../errors.ts'
import { nearestName } from '../../../sprite-spec/nearest.ts'
import type { CommandArgs } from '../../arguments.ts'
import type { CommandContext } from '../../context.ts'
import { pull, push } from './copy.ts'
import { gc } from './gc.ts'
import { list } from './list.ts'
import { prune } from './prune.ts'
import { verify } from './verify.ts'

/**
 * A subcommand of `store`.
 *
 * @param names The arguments after the subcommand.
 */
type Part = (context: CommandContext, names: readonly string[], args: CommandArgs) => Promise<number>

const parts: ReadonlyMap<string, Part> = new Map([
  ['ls', list],
  ['verify', verify],
  ['prune', prune],
  ['push', push],
  ['pull', pull],
  ['gc', gc],
])

/** `spritewright store ls|verify|prune|push|pull|gc [names…]`: manages the paid results. No subcommand buys. */
export async function store(context: CommandContext, args: CommandArgs): Promise<number> {
  const [verb, ...names] = args.names
  const part = parts.get(verb ?? '')
  if (!part) throw unknownPart(verb)
  for (const option of ['yes', 'force', 'shared']) if (verb !== 'prune' && args.flag(option)) throw onlyFor('prune', option, verb)
  if (verb !== 'gc' && args.flag('dry-run')) throw onlyFor('gc', 'dry-run', verb)
  return part(context, names, args)
}

function unknownPart(found: string | undefined): SpritewrightError {
  const verbs = [...parts.keys()]
  const nearest = found === undefined ? undefined : nearestName(found, verbs)
  const advice = nearest ? `Did you mean "npx spritewright store ${nearest}"?` : 'What they do: npx spritewright store --help'
  return new SpritewrightError('SW_USAGE', {
    message: `Expected store ${verbs.join('|')}, found ${found === undefined ? 'none of them' : JSON.stringify(found)}. ${advice}`,
    facts: { expected: verbs, found },
  })
}

function onlyFor(part: string, option: string, verb = ''): SpritewrightError {
  const why = part === 'prune' ? ', which deletes nothing' : ''
  return new SpritewrightError('SW_USAGE', {
    message: `Expected --${option} with "store ${part}", found it with "store ${verb}"${why}. Leave it out.`,
    facts: { option: `--${option}`, verb },
  })
}

import { SpritewrightError } from '../errors.ts'
import { usageError } from './arguments.ts'
import type { ProgramParts } from './context.ts'

/**
 * Makes sure that a person can be asked before anything is done.
 *
 * @param isSure Whether `--yes` answers the question.
 * @param rest End of the message: the option's effect, or a command to run first.
 * @throws `SW_USAGE` if there is no terminal.
 */
export function needTerminal({ host }: Pick<ProgramParts, 'host'>, isSure: boolean, rest: string): void {
  if (isSure || host.terminal.canAsk) return
  throw usageError(`Expected --yes, since there is no terminal to ask at${rest}`, { option: '--yes' })
}

/**
 * Returns what a person has answered.
 *
 * @param outcome What did not happen, as a sentence.
 * @throws `SW_INTERRUPTED` if the person has pressed Ctrl-C.
 */
export function answered<Answer>(answer: Answer | undefined, outcome: string): Answer {
  if (answer !== undefined) return answer
  throw new SpritewrightError('SW_INTERRUPTED', { message: `Interrupted. ${outcome}` })
}

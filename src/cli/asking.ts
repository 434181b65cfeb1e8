import { SpritewrightError } from '../errors.ts'
import { usageError } from './arguments.ts'
import type { ProgramParts } from './context.ts'

/**
 * Checks that a terminal can ask a person, before the command does anything.
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
 * Returns a person's answer.
 *
 * @param outcome A sentence about the action that was not done.
 * @throws `SW_INTERRUPTED` if the person has pressed Ctrl-C.
 */
export function answered<Answer>(answer: Answer | undefined, outcome: string): Answer {
  if (answer !== undefined) return answer
  throw new SpritewrightError('SW_INTERRUPTED', { message: `Interrupted. ${outcome}` })
}

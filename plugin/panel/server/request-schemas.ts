import { SpritewrightError } from '../../../src/index.ts'
import { type ActionName, type ActionRequest, asks } from '../../protocol/actions.ts'

/** Largest body of a request in bytes: those with a picture, one with thousands of lines, and any other. */
const longestBody = {
  answer: 12 * 1024 * 1024,
  create: 12 * 1024 * 1024,
  reword: 12 * 1024 * 1024,
  approve: 4 * 1024 * 1024,
  other: 256 * 1024,
} as const

/** Whether the last part of a path names an action. */
export function isAction(name: string): name is ActionName {
  return Object.hasOwn(asks, name)
}

/** Maximum size of the body of an action, in bytes. */
export function bodyLimit(action: ActionName): number {
  return Object.hasOwn(longestBody, action) ? longestBody[action as keyof typeof longestBody] : longestBody.other
}

/**
 * Parses the body of a request.
 *
 * @throws `SW_USAGE` if it is not the JSON that the action takes.
 */
export function parseRequest<Name extends ActionName>(action: Name, body: Uint8Array): ActionRequest<Name> {
  const usage = (found: string): SpritewrightError =>
    new SpritewrightError('SW_USAGE', { message: `Expected what "${action}" takes, found ${found}. Reload the panel.`, facts: { action } })
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw usage('no JSON')
  }
  const checked = asks[action].safeParse(json)
  if (checked.success) return checked.data as ActionRequest<Name>
  const [issue] = checked.error.issues
  throw usage(`${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'something else'}`)
}

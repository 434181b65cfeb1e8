import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { formatCredits } from '../../../credit/credits.ts'
import { escapeText } from '../../../host/terminal.ts'
import type { CommandContext } from '../../context.ts'
import { toFailures } from '../../failure.ts'
import type { Prices } from './prices.ts'

/** What the tools work with. None of it has the API key. */
export interface ToolContext extends CommandContext {
  /** Asks another process, which has the API key. Throws its errors. */
  prices(names: readonly string[]): Promise<Prices>
}

/** What a tool found. Texts in it may come from anybody: {@link toAnswer} makes them safe to show. */
export interface ToolResult {
  readonly data: Readonly<Record<string, unknown>>
  /** WebP. */
  readonly picture?: Uint8Array
}

/** A tool that an agent may call. Its name and its description are constants. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodType
  /** Whether it writes into the project or adds a request to a person. None deletes anything. */
  readonly writes?: true
  run(input: z.output<Input>, context: ToolContext): Promise<ToolResult>
}

/** Declares a tool, with the type of its input. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool
}

/** A text of an answer. */
export const text: z.ZodString = z.string()
/** A text that may be missing. */
export const maybe: z.ZodOptional<z.ZodString> = text.optional()
/** Names of sprites or animations; empty for all. */
export const nameList: z.ZodDefault<z.ZodArray<z.ZodString>> = z.array(text.max(200)).max(200).default([])

/** For an agent, whose errors name commands of a person. */
export const insteadOfCommands: string =
  'A person runs commands that approve or buy. To ask a person: request_approval. For prices: price. For states: sprites.'

/** Runs a tool. Its errors become an answer. */
export async function toAnswer(work: () => Promise<ToolResult>): Promise<CallToolResult> {
  try {
    const { data, picture } = await work()
    const safe = toData(data) as Record<string, unknown>
    const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(safe) }]
    if (picture) content.unshift({ type: 'image', data: Buffer.from(picture).toString('base64'), mimeType: 'image/webp' })
    return { content, structuredContent: safe }
  } catch (error) {
    const errors = toErrors(error)
    const next = errors.some(({ message }) => message.includes('npx spritewright')) ? insteadOfCommands : undefined
    return { content: [{ type: 'text', text: JSON.stringify(toData({ errors, next })) }], isError: true }
  }
}

/** The errors of a failure, as data. */
export function toErrors(error: unknown): readonly { readonly code: string; readonly message: string }[] {
  const failures = toFailures(error).slice(0, 20)
  return failures.map(({ code, message }) => ({ code, message }))
}

/** Texts of people and of this package, which may be longer than others. */
const longTexts: ReadonlySet<string> = new Set(['prompt', 'message', 'text', 'whatToDo'])

/** Limits all texts, escapes their control characters and marks of the reading direction, and writes amounts as text. */
function toData(value: unknown, key = ''): unknown {
  if (typeof value === 'bigint') return formatCredits(value)
  if (typeof value === 'string') {
    const most = longTexts.has(key) ? 1000 : 400
    const safe = escapeText(value)
    return safe.length > most ? `${safe.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : safe
  }
  if (Array.isArray(value)) return value.map((one) => toData(one, key))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, toData(member, name)]))
}

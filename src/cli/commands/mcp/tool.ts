import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { formatCredits } from '../../../credit/credits.ts'
import type { Host } from '../../../host/host.ts'
import { escapeText } from '../../../host/terminal.ts'
import type { Workshop } from '../../../workshop.ts'
import { toFailures } from '../../failure.ts'
import type { Prices } from './prices.ts'

/** What the tools work with. None of it has the API key. */
export interface ToolPorts {
  /** Absolute path of the project. */
  readonly root: string
  readonly host: Host
  /** Folder of the installed package, absolute. */
  readonly packageFolder: string
  readonly specSchema: () => Promise<unknown>
  /** Opens a workshop without credentials, runs the work, and closes it in any case. */
  withWorkshop<T>(work: (workshop: Workshop) => Promise<T>): Promise<T>
  /** Asks another process, which has the API key. Throws its errors. */
  prices(names: readonly string[]): Promise<Prices>
}

/** What a tool found. Texts in it may come from anybody: {@link toAnswer} makes them safe to show. */
export interface ToolResult {
  readonly data: Readonly<Record<string, unknown>>
  readonly pictures?: readonly { readonly bytes: Uint8Array; readonly contentType: string }[]
}

/** A tool that an agent may call. Its name and its description are constants. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodType
  /** Whether it writes into the project or adds a request to a person. None deletes anything. */
  readonly writes?: true
  run(input: z.output<Input>, ports: ToolPorts): Promise<ToolResult>
}

/** Declares a tool, with the type of its input. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool
}

/** Names of sprites or animations; empty for all. */
export const nameList: z.ZodDefault<z.ZodArray<z.ZodString>> = z.array(z.string().max(200)).max(200).default([])

/** An error as data. */
export const errorShape: z.ZodType = z.object({ code: z.string(), message: z.string() })

/** Runs a tool. Its errors become an answer. */
export async function toAnswer(work: () => Promise<ToolResult>): Promise<CallToolResult> {
  try {
    const { data, pictures = [] } = await work()
    const safe = toData(data) as Record<string, unknown>
    const images = pictures.map(({ bytes, contentType }) => ({
      type: 'image' as const,
      data: Buffer.from(bytes).toString('base64'),
      mimeType: contentType,
    }))
    return { content: [...images, { type: 'text', text: JSON.stringify(safe) }], structuredContent: safe }
  } catch (error) {
    return { content: [{ type: 'text', text: JSON.stringify(toData({ errors: toErrors(error) })) }], isError: true }
  }
}

/** The errors of a failure, as data. */
export function toErrors(error: unknown): readonly { readonly code: string; readonly message: string }[] {
  return toFailures(error)
    .slice(0, 20)
    .map(({ code, message }) => ({ code, message }))
}

/** Asks for prices. A failure becomes a part of the answer. */
export async function findPrices(ports: ToolPorts, names: readonly string[]): Promise<Partial<Prices> & { readonly priceError?: unknown }> {
  try {
    return await ports.prices(names)
  } catch (error) {
    return { priceError: toErrors(error)[0] }
  }
}

/** Texts of people and of this package, which may be longer than others. */
const longTexts: ReadonlySet<string> = new Set(['prompt', 'message', 'text'])

/** Limits all texts, escapes their control characters and marks of the reading direction, and writes amounts as text. */
function toData(value: unknown, key = ''): unknown {
  if (typeof value === 'bigint') return formatCredits(value)
  if (typeof value === 'string') {
    const most = longTexts.has(key) ? 1000 : 400
    const text = escapeText(value)
    return text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text
  }
  if (Array.isArray(value)) return value.map((one) => toData(one, key))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, toData(member, name)]))
}

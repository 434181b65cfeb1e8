import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { ProgramParts } from '../../src/cli/context.ts'
import { runProgram } from '../../src/cli/program.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { type Host, nodeHost } from '../../src/host/host.ts'
import { createWorkshop, specJsonSchema, type Workshop } from '../../src/workshop.ts'
import { noOwnProcess } from '../kit/own-process.ts'
import { createProject, serviceEnv, type TestProject } from '../kit/project.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'

/** `spritewright mcp` in this process, and a client of it. */
export interface McpSession {
  readonly project: TestProject
  readonly service: EmbeddedService
  readonly client: Client
  /** All that the server wrote to stdout, and what it wrote to stderr. */
  readonly written: { out: string; err: string }
  /** The exit code. */
  readonly ended: Promise<number>
  /** Calls a tool. Returns its data, or its errors. */
  call(name: string, input?: Record<string, unknown>): Promise<Answer>
  /** A workshop of a person, who has the key. */
  workshop(): Promise<Workshop>
  /** Sends a text to stdin. */
  send(text: string): void
  interrupt(): void
}

/** What a tool answered. */
export interface Answer {
  readonly data: Record<string, unknown>
  readonly errors?: readonly { readonly code: string; readonly message: string }[]
  readonly picture?: { readonly bytes: Uint8Array; readonly mimeType: string }
  /** The whole answer. */
  readonly text: string
}

/** The options of a session. */
export interface McpSessionInit {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Variables of the server. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether `.env.local` has the address and the key. */
  readonly hasEnvFile?: boolean
  /** Replaces the output of the process that is asked for prices. */
  readonly otherProcess?: ((args: readonly string[], service: EmbeddedService) => string) | undefined
  /** Arguments of the server. */
  readonly args?: readonly string[]
  /** Replaces verbs of the server's workshops. */
  readonly changed?: (workshop: Workshop) => Workshop
  readonly options?: Parameters<typeof startEmbeddedService>[0]
  readonly era?: 'auto' | 'legacy'
}

/** Starts a project, a service and a server of tools, and connects a client. All end with the test. */
export async function startMcp(init: McpSessionInit = {}): Promise<McpSession> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, makers: rememberedMakers, ...init.options })
  onTestFinished(() => service.close())
  const variables = serviceEnv(service)
  const envFile = Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
  const project = await createProject({ ...(init.hasEnvFile === false ? {} : { '.env.local': envFile }), ...init.files })
  onTestFinished(() => project.remove())
  const machine = nodeHost()
  const written = { out: '', err: '' }
  const hostFor = (env: Readonly<Record<string, string>>, write: (text: string) => void): Host => ({
    ...machine,
    env,
    stateFolder: join(project.root, '.state'),
    workingFolder: project.root,
    terminal: {
      ...machine.terminal,
      write,
      note: (text) => {
        written.err += text
      },
      isOutputTerminal: false,
      canAsk: false,
      columns: 80,
    },
  })
  const env: Record<string, string> = { ...init.env }
  const interrupt = new AbortController()
  const input = new PassThrough()
  const partsOf = (host: Host): ProgramParts => ({
    host,
    version: '1.2.3',
    createWorkshop,
    signal: interrupt.signal,
    specSchema: async () => specJsonSchema(),
    ownProcess: noOwnProcess,
    watchFiles: async () => Promise.reject(new Error('No watching in this test.')),
    startService: async () => Promise.reject(new Error('No service in this test.')),
    ask: async () => false,
    askText: async () => undefined,
    choose: async () => undefined,
  })
  const transport = new TextTransport((text) => input.write(text))
  const parts: ProgramParts = {
    ...partsOf(
      hostFor(env, (text) => {
        written.out += text
        transport.take(text)
      }),
    ),
    createWorkshop: async (asked) => (init.changed ?? ((one) => one))(await createWorkshop(asked)),
    ownProcess: {
      packageFolder: join(import.meta.dirname, '../..'),
      input,
      dropVariable: (name) => {
        delete env[name]
      },
      run: async (args) => {
        if (init.otherProcess) return init.otherProcess(args, service)
        let out = ''
        const write = (text: string): void => {
          out += text
        }
        await runProgram(args, partsOf(hostFor(env, write)))
        return out
      },
    },
  }
  const ended = runProgram(['mcp', ...(init.args ?? [])], parts)
  onTestFinished(async () => {
    input.end()
    await ended
    await machine.net.close()
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: init.era ?? 'auto' } })
  await client.connect(transport)
  return {
    project,
    service,
    client,
    written,
    ended,
    send: (text) => void input.write(text),
    interrupt: () => interrupt.abort(),
    workshop: async () => {
      const opened = await createWorkshop({ root: project.root, host: hostFor(variables, () => {}) })
      onTestFinished(() => opened.close())
      return opened
    },
    call: async (name, asked = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: asked })
      const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
      const image = content.find((part) => part.type === 'image')
      return {
        data: (structuredContent ?? {}) as Record<string, unknown>,
        ...(isError ? { errors: errorsIn(text) } : {}),
        ...(image?.type === 'image' ? { picture: { bytes: Buffer.from(image.data, 'base64'), mimeType: image.mimeType } } : {}),
        text,
      }
    },
  }
}

/** The errors of an answer. What the protocol itself refuses is a text without a code. */
function errorsIn(text: string): NonNullable<Answer['errors']> {
  return text.startsWith('{"errors"')
    ? (JSON.parse(text) as { errors: NonNullable<Answer['errors']> }).errors
    : [{ code: 'protocol', message: text }]
}

/** The client's end of two pipes. */
class TextTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  #rest = ''
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    this.onclose?.()
  }

  /** Takes what the server wrote. */
  take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.onmessage?.(JSON.parse(line) as JSONRPCMessage)
  }
}

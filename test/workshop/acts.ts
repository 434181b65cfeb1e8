import type { JournalRecord } from '../../src/job/records/record.ts'
import type { ProcessInit, Team } from '../sim/two-machines.ts'

/** What a process does, in order. */
export interface Acts {
  /** For a process that is watched. */
  readonly init: ProcessInit
  /** Adds something that a test sees. */
  note(what: string): void
  /** Everything until now, for example `POST execute`, `record sent` and `lock`, the write of the lock file. */
  all(): readonly string[]
}

/** Watches processes of the first machine. Requests of capabilities and prices have no place in any order, and are left out. */
export function watch({ first, world }: Team): Acts {
  const list: string[] = []
  const record = /^link (\/game\/\.spritewright\/submissions\/[0-9a-f]{64}\/\d{4}\.json)$/
  const typeOf = (path: string): string => (JSON.parse(new TextDecoder().decode(first.disk.files.get(path))) as JournalRecord).type
  return {
    note: (what) => void list.push(what),
    all: () => list.map((act) => act.replace(record, (_, path: string) => `record ${typeOf(path)}`)),
    init: {
      guard: (call) => {
        if (call === 'move /game/sprites.lock.json') list.push('lock')
        if (record.test(call)) list.push(call)
        return undefined
      },
      net: {
        ...world.net,
        request: (request) => {
          const path = new URL(request.url).pathname.replace('/v1/', '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
          if (!/capabilities|pricing/.test(path)) list.push(`${request.method} ${path}`)
          return world.net.request(request)
        },
      },
    },
  }
}

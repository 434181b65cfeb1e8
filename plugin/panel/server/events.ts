import type { ServerResponse } from 'node:http'

/** Pages that are told what happens, as server-sent events. */
export interface EventHub {
  /** Keeps an answer open until its page or the server goes. */
  add(response: ServerResponse): void
  /** Tells all pages. @param data Anything that JSON can write. */
  send(event: string, data: unknown): void
  /** Whether anybody listens. */
  isHeard(): boolean
  close(): void
}

/**
 * No page yet.
 *
 * @param isFit Whether a text may leave; one that may not is not sent.
 */
export function createEventHub(isFit: (text: string) => boolean): EventHub {
  const pages = new Set<ServerResponse>()
  let isClosed = false
  return {
    add: (response) => {
      response.setHeader('Content-Type', 'text/event-stream')
      if (isClosed) return void response.end()
      response.write('retry: 1000\n\n')
      pages.add(response)
      response.once('close', () => pages.delete(response))
    },
    send: (event, data) => {
      if (pages.size === 0) return
      const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      if (isFit(text)) for (const page of pages) page.write(text)
    },
    isHeard: () => pages.size > 0,
    close: () => {
      isClosed = true
      for (const page of pages) page.end()
      pages.clear()
    },
  }
}

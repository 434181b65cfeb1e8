import type { ServerResponse } from 'node:http'

/**
 * Creates a hub without pages.
 *
 * @param maySend Whether a text may leave the server. A text that may not is not sent.
 */
export function createEventHub(maySend: (text: string) => boolean) {
  const pages = new Set<ServerResponse>()
  let isClosed = false
  return {
    /** Keeps a response open until its page or the server is gone. */
    add: (response: ServerResponse): void => {
      response.setHeader('Content-Type', 'text/event-stream')
      if (isClosed) return void response.end()
      response.write('retry: 1000\n\n')
      pages.add(response)
      response.once('close', () => pages.delete(response))
    },
    /**
     * Sends an event to all pages.
     *
     * @param data Any value that JSON can encode.
     */
    send: (event: string, data: unknown): void => {
      if (pages.size === 0) return
      const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      if (maySend(text)) for (const page of pages) page.write(text)
    },
    /** Whether any page listens. */
    isHeard: (): boolean => pages.size > 0,
    close: (): void => {
      isClosed = true
      for (const page of pages) page.end()
      pages.clear()
    },
  }
}

/** Hands on a value under a key; answered when it, or one that came after it, has been worked on. */
export type Push<T> = (key: string, value: T) => Promise<void>

/**
 * Works on the newest value of each key, one at a time a key, so that what was asked for last is what stays. A value that another one overtook while it waited is left out.
 *
 * @param work Told whether its value has been overtaken: it may end early then. It sees to its own failures.
 */
export function createNewest<T>(work: (value: T, isOvertaken: () => boolean) => Promise<void>): Push<T> {
  const waiting = new Map<string, { readonly value: T }>()
  const running = new Map<string, Promise<void>>()
  const run = async (key: string): Promise<void> => {
    for (let next = waiting.get(key); next; next = waiting.get(key)) {
      waiting.delete(key)
      await work(next.value, () => waiting.has(key))
    }
    running.delete(key)
  }
  return (key, value) => {
    waiting.set(key, { value })
    const started = running.get(key) ?? run(key)
    running.set(key, started)
    return started
  }
}

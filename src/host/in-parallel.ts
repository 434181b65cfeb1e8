/**
 * How many network calls or file writes run at the same time: enough to hide round trips, few enough for a
 * small server.
 */
const usual = 8

/**
 * Runs a task for each item, a few at a time. After a failure no further task begins.
 *
 * @param atOnce The most tasks that run at the same time; at least one runs.
 * @default 8
 * @returns The results, in the order of the items.
 * @throws The first failure, as soon as no task runs any more.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  task: (item: T, index: number) => Promise<R>,
  atOnce: number = usual,
): Promise<R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length && failures.length === 0; index = next++) {
      try {
        results[index] = await task(items[index] as T, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(atOnce, items.length)) }, lane))
  if (failures.length > 0) throw failures[0]
  return results
}

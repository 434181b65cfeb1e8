/** Runs works one after the other, in the order of the calls. A work that fails does not stop those after it. */
export type OneByOne = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a turn for works that must not run at the same time. */
export function oneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work)
    last = run.catch(() => {})
    return run
  }
}

/**
 * Removes the service workers of this origin. The panel has none, so an earlier server on its port has left them.
 * They see what the page sends. If there is one, this tells the server by the header with which a browser asks for
 * the script of a worker, and the server then refuses all actions.
 *
 * @returns Whether there was one.
 */
export async function removeWorkers(): Promise<boolean> {
  // An address that is not secure has no service workers.
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  const found = (await serviceWorker?.getRegistrations()) ?? []
  // The response of the page has removed the worker already, if it came through one and the browser is new enough.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (found.length === 0 && !serviceWorker?.controller && !navigation?.workerStart) return false
  await Promise.allSettled([...found.map((one) => one.unregister()), fetch('.', { headers: { 'service-worker': 'script' } })])
  return true
}

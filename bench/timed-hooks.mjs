import { createRequire } from 'node:module'

/**
 * Plugins whose hooks add up their time. The end of the process prints it as `hooks
 * {"hooksMs":…,"hasSharp":…}`.
 */
export function timed(plugins) {
  let hooksMs = 0
  const take = (hook) =>
    function (...args) {
      const since = performance.now()
      const done = () => {
        hooksMs += performance.now() - since
      }
      let answer
      try {
        answer = hook.apply(this, args)
      } finally {
        if (!(answer instanceof Promise)) done()
      }
      return answer instanceof Promise ? answer.finally(done) : answer
    }
  process.on('exit', () => console.log(`\nhooks ${JSON.stringify({ hooksMs, hasSharp: hasSharp() })}`))
  return plugins.map((plugin) =>
    Object.fromEntries(
      Object.entries(plugin).map(([name, hook]) => {
        if (typeof hook === 'function') return [name, take(hook)]
        return [name, typeof hook?.handler === 'function' ? { ...hook, handler: take(hook.handler) } : hook]
      }),
    ),
  )
}

/**
 * Whether the process has loaded sharp, which is a CommonJS module and therefore in the cache of `require`.
 */
function hasSharp() {
  return Object.keys(createRequire(import.meta.url).cache).some((file) => /[\\/]node_modules[\\/](?:@img|sharp)[\\/]/.test(file))
}

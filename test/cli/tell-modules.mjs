// Loaded into a process before everything else: writes down every module that it loads from a file, one address a line, into the file that TELL_MODULES names.
import { register } from 'node:module'

const hook = `import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(${JSON.stringify(process.env.TELL_MODULES)}, url + '\\n')
  return next(url, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`)

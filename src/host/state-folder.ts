import { join } from 'node:path'

/** Folder of this user's own state, outside every project; it is not made. @param home The user's folder, for where nothing else is said. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, home: () => string): string {
  const state = env.XDG_STATE_HOME ?? (process.platform === 'win32' ? env.LOCALAPPDATA : undefined) ?? join(home(), '.local', 'state')
  return join(state, 'spritewright')
}

import { isAbsolute, join } from 'node:path'

/** Folder of this user's own state, outside every project; it is not made. @param home The user's folder, for where nothing else is said. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, home: () => string): string {
  const named = [env.XDG_STATE_HOME, process.platform === 'win32' ? env.LOCALAPPDATA : undefined]
  // One that is no full path is to be passed over, as its standard says: it would be another folder wherever one stands.
  const state = named.find((folder) => folder !== undefined && isAbsolute(folder)) ?? join(home(), '.local', 'state')
  return join(state, 'spritewright')
}

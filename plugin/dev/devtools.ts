import type { ResolvedConfig, ViteDevServer } from 'vite'

/** The parts of the context of Vite's DevTools that are used here. They are an optional package of their own. */
export interface DevToolsContext {
  readonly viteConfig: ResolvedConfig
  /** Absent in a build. */
  readonly viteServer?: ViteDevServer
  readonly commands: { register(command: { id: string; title: string; handler: () => unknown }): unknown }
  readonly docks: { register(entry: LauncherEntry): unknown }
}

/** A button in the dock of Vite's DevTools. */
export interface LauncherEntry {
  readonly id: string
  readonly type: 'launcher'
  readonly title: string
  readonly icon: string
  readonly launcher: { readonly title: string; readonly description: string; readonly buttonStart: string; readonly command: string }
}

/**
 * Adds the panel to Vite's DevTools: a button that prints the panel's address in the terminal. The dock gets no address,
 * because a page of the dev server must not have the token, and the panel refuses to be in a frame.
 */
export function addDock({ commands, docks }: DevToolsContext, print: () => unknown): void {
  const command = 'spritewright:address'
  const title = 'Sprites: print the address of the panel'
  commands.register({ id: command, title, handler: print })
  docks.register({
    id: 'spritewright',
    type: 'launcher',
    title: 'Sprites',
    icon: 'ph:person-simple-run-duotone',
    launcher: {
      title: 'Sprites',
      description: 'The panel opens at an address that is only in the terminal, because everybody with this address may buy.',
      buttonStart: 'Print it again',
      command,
    },
  })
}

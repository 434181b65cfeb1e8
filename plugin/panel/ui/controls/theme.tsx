import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { IconButton } from './button.tsx'

type Theme = 'light' | 'dark'

/**
 * Name of the cookie that has the choice. Each start of the server has a port of its own, and so a storage of its own;
 * cookies are shared by all ports of a host. So nothing secret is ever in one.
 */
const cookie = 'spritewright-theme'

/** Switches between light and dark. The system's theme is used until a person chooses one. */
export function ThemeToggle(): VNode {
  const [theme, setTheme] = useState(readTheme)
  useEffect(() => {
    document.documentElement.dataset.theme = theme
    document.documentElement.style.colorScheme = theme
  }, [theme])
  const next: Theme = theme === 'dark' ? 'light' : 'dark'
  return (
    <IconButton
      icon={next}
      label={`Use the ${next} theme`}
      title={`Use the ${next} theme`}
      onClick={() => {
        setTheme(next)
        // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
        document.cookie = `${cookie}=${next}; path=/; max-age=31536000; samesite=strict`
      }}
    />
  )
}

function readTheme(): Theme {
  const kept = new RegExp(`(?:^|; )${cookie}=(light|dark)(?:;|$)`).exec(document.cookie)?.[1]
  if (kept !== undefined) return kept as Theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

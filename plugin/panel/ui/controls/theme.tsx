import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

type Theme = 'light' | 'dark'

const storageKey = 'spritewright.theme'

/** Switches between light and dark. The system's theme is used until a person chooses one. */
export function ThemeToggle(): VNode {
  const [theme, setTheme] = useState(readTheme)
  useEffect(() => {
    document.documentElement.dataset.theme = theme
  }, [theme])
  const next: Theme = theme === 'dark' ? 'light' : 'dark'
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Use the ${next} theme`}
      title={`Use the ${next} theme`}
      onClick={() => {
        setTheme(next)
        try {
          localStorage.setItem(storageKey, next)
        } catch {
          // If the browser stores nothing, the choice is valid for this page.
        }
      }}
    >
      <Icon name={next} />
    </button>
  )
}

function readTheme(): Theme {
  const kept = readKept()
  if (kept === 'light' || kept === 'dark') return kept
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

function readKept(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

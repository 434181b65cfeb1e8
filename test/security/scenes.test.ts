import { test } from 'vitest'
import { scenes } from './scenes.ts'

test.each(Object.keys(scenes))('I11: no promise is broken in the scene of %s', (name) => scenes[name]?.())

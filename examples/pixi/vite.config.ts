import spritewright from 'spritewright/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // The game then runs from any folder of any server.
  base: './',
  plugins: [spritewright()],
})

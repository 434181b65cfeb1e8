import spritewright from 'spritewright/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // The game then runs from any folder of any server.
  base: './',
  plugins: [spritewright()],
  // Phaser alone is larger than Vite's usual warning.
  build: { chunkSizeWarningLimit: 2000 },
})

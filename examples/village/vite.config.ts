import spritewright from 'spritewright/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  // The game then runs from any folder of any server.
  base: './',
  plugins: [spritewright()],
  // The same village twice: in Phaser and in PixiJS. Phaser alone is larger than Vite's usual warning.
  build: { rolldownOptions: { input: ['index.html', 'pixi.html'] }, chunkSizeWarningLimit: 2000 },
})

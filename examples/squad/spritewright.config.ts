import { defineConfig } from 'spritewright'

// The service on this machine: real pictures, play money, no account. In your game, leave `service` out and
// set SPRITEWRIGHT_BASE_URL and SPRITEWRIGHT_API_KEY.
export default defineConfig({ service: 'embedded' })

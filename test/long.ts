/** Whether tests run at full length: `npm run sim -- --long`. `npm test` runs a sample. */
export const isLong: boolean = (process.env.SPRITEWRIGHT_LONG ?? '') !== ''

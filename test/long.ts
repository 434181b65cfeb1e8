/** Whether everything is to be shown at full length: `npm run sim -- --long`. `npm test` takes a sample of it. */
export const isLong: boolean = (process.env.SPRITEWRIGHT_LONG ?? '') !== ''

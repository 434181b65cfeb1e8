/**
 * Ambient types of what the plugin makes importable. Reference it once: `/// <reference types="spritewright/client" />`, or `"types": ["spritewright/client"]` in tsconfig.json.
 */
declare module '*.sprite.json' {
  const sprite: import('spritewright/phaser').SpriteModule
  export default sprite
}
declare module '*.sprite.yaml' {
  const sprite: import('spritewright/phaser').SpriteModule
  export default sprite
}
declare module '*.sprite.yml' {
  const sprite: import('spritewright/phaser').SpriteModule
  export default sprite
}
declare module 'virtual:spritewright' {
  /** All sprites of the project, by name. */
  export const sprites: Readonly<Record<string, import('spritewright/phaser').SpriteModule>>
  export default sprites
}

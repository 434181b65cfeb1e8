// Writes docs/api: the API reference, one page for each entry of the package, from the types in dist/.
import { fileURLToPath } from 'node:url'
import { Application } from 'typedoc'

const entries = {
  'dist/src/index': 'spritewright',
  'dist/plugin/index': 'spritewright/vite',
  'dist/plugin/runtime/phaser': 'spritewright/phaser',
  'dist/plugin/runtime/pixi': 'spritewright/pixi',
  'dist/atlas/index': 'spritewright/atlas',
  'dist/src/service': 'spritewright/service',
}

const app = await Application.bootstrapWithPlugins({
  name: 'API',
  entryPoints: Object.keys(entries).map((path) => fileURLToPath(new URL(`../${path}.d.ts`, import.meta.url))),
  tsconfig: fileURLToPath(new URL('tsconfig.json', import.meta.url)),
  plugin: ['typedoc-plugin-markdown'],
  out: fileURLToPath(new URL('api', import.meta.url)),
  readme: 'none',
  router: 'module',
  excludeInternal: true,
  disableSources: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  entryFileName: 'index',
  useCodeBlocks: true,
  ...Object.fromEntries(
    [
      'parameters',
      'interfaceProperties',
      'classProperties',
      'typeAliasProperties',
      'typeDeclaration',
      'propertyMembers',
      'enumMembers',
    ].map((part) => [`${part}Format`, 'table']),
  ),
  // Types that an export mentions and that no entry exports are shown by name.
  validation: { notExported: false, invalidLink: true },
  treatValidationWarningsAsErrors: true,
  logLevel: 'Warn',
})
const project = await app.convert()
if (!project) process.exit(1)
for (const module of project.children ?? []) {
  const name = Object.entries(entries).find(([path]) => path.endsWith(`/${module.name}`) || path.endsWith(`/${module.name}/index`))?.[1]
  if (name === undefined) throw new Error(`Expected a module of ${Object.keys(entries).join(', ')}, found ${module.name}.`)
  module.name = name
}
app.validate(project)
await app.generateOutputs(project)
if (app.logger.hasErrors()) process.exit(1)

import { defineConfig } from 'vitepress'

const page = (text, name) => ({ text, link: `/${name}` })

export default defineConfig({
  title: 'spritewright',
  description: 'Sprites for Phaser and PixiJS, bought once, packed and swapped in live.',
  srcExclude: ['decisions/README.md'],
  cleanUrls: true,
  // Links to files of the repository outside this folder. A test checks that those files are there.
  ignoreDeadLinks: [/^\.\/\.\.\//, /^\.\.\//, /^\.\/(?:\.\.\/)+/],
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      {
        text: 'Begin',
        items: [
          page('Start', 'start'),
          page('Phaser', 'start-phaser'),
          page('PixiJS', 'start-pixi'),
          page('React', 'start-react'),
          page('Svelte', 'start-svelte'),
          page('No bundler', 'start-plain'),
          page('A monorepo', 'start-monorepo'),
        ],
      },
      {
        text: 'Use',
        items: [
          page('Specs', 'specs'),
          page('Engines', 'engines'),
          page('Vite', 'vite'),
          page('The panel', 'panel'),
          page('Command line', 'cli'),
        ],
      },
      {
        text: 'Projects',
        items: [
          page('Recipes', 'recipes'),
          page('Options', 'options'),
          page('Teams and CI', 'ci'),
          page('Formats', 'formats'),
          page('Quality', 'quality'),
          page('Library', 'library'),
          page('API', 'api/index'),
        ],
      },
      {
        text: 'Trust',
        items: [
          page('Money', 'money'),
          page('Errors', 'errors'),
          page('Troubleshooting', 'troubleshooting'),
          page('Upgrades', 'upgrades'),
          page('Changes', 'changelog'),
        ],
      },
      { text: 'The service', items: [page('Faults', 'faults'), page('A profile', 'profile'), page('Conformance', 'conformance')] },
    ],
  },
})

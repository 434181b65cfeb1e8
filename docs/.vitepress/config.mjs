import { defineConfig } from 'vitepress'
import { boostDocument } from './search.mjs'

const page = (text, name) => ({ text, link: `/${name}` })

/**
 * Links to files of the repository outside this folder become text, because the site has no such pages. A test
 * checks that those files are there.
 */
function withoutOutsideLinks(md) {
  md.core.ruler.push('outside-links', ({ tokens, env }) => {
    const outside = '../'.repeat(env.relativePath.split('/').length)
    for (const { children } of tokens) {
      let isOutside = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') isOutside = token.attrGet('href').startsWith(outside)
        if (isOutside && /^link_/.test(token.type)) Object.assign(token, { type: 'text', content: '' })
      }
    }
  })
}

export default defineConfig({
  title: 'spritewright',
  description: 'Sprites for Phaser and PixiJS, bought once, packed and swapped in live.',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  rewrites: (path) => path.replace(/README\.md$/, 'index.md'),
  markdown: { config: withoutOutsideLinks },
  // The search has every page, which is one large file.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    nav: [page('Start', 'start'), page('The panel', 'panel'), page('API', 'api/index'), page('Changes', 'changelog')],
    outline: [2, 3],
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument } } } },
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
          page('From TexturePacker', 'from-texturepacker'),
          page('From Free Texture Packer', 'from-free-tex-packer'),
          page('From AssetPack', 'from-assetpack'),
        ],
      },
      {
        text: 'Use',
        items: [
          page('Specs', 'specs'),
          page('Engines', 'engines'),
          page('Light', 'light'),
          page('Vite', 'vite'),
          page('The panel', 'panel'),
          page('Command line', 'cli'),
        ],
      },
      {
        text: 'Projects',
        items: [
          page('Recipes', 'recipes'),
          page('Publishing', 'publish'),
          page('Where frames come from', 'disclose'),
          page('Options', 'options'),
          page('Coding agents', 'agents'),
          page('Teams and CI', 'ci'),
          page('From one machine to a studio', 'studio'),
          page('Operating a worker', 'operate'),
          page('Formats', 'formats'),
          page('Quality', 'quality'),
          page('Library', 'library'),
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
          page('Decisions', 'decisions/index'),
        ],
      },
      {
        text: 'API',
        items: [
          'spritewright',
          'spritewright/vite',
          'spritewright/phaser',
          'spritewright/pixi',
          'spritewright/atlas',
          'spritewright/service',
        ].map((entry) => page(entry, `api/${entry}`)),
      },
      {
        text: 'The service',
        items: [page('The service', 'service'), page('A profile', 'profile'), page('Faults', 'faults'), page('Conformance', 'conformance')],
      },
    ],
  },
})

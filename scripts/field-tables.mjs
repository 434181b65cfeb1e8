// The tables of fields in docs/specs.md and docs/options.md, from the descriptions in the schemas.

/** Where a reader finds more about a field. */
const more = {
  pixelArt: '[below](#true-pixels)',
  reference: '[a chain](#a-chain-of-steps)',
  size: '[below](#the-size)',
  borders: '[Formats](formats.md)',
  mirror: '[below](#mirror-images)',
  normals: '[Light](light.md)',
  variants: '[below](#variants)',
  stabilize: '[Quality](quality.md#stabilize)',
  meant: '[Quality](quality.md)',
  'service.profile': '[a profile](profile.md)',
  'approval.perSprite': '[Money](money.md#approvals-and-budgets)',
  'store.shared': '[Teams and CI](ci.md#what-to-commit)',
  'cache.maxBytes': '[below](#the-cache)',
  'panel.port': '[the panel](panel.md#access)',
  'atlas.format': '[Encodings](formats.md#encodings)',
  'atlas.hull': '[Formats](formats.md)',
  'atlas.rotate': '[Formats](formats.md)',
  'atlas.stable': '[below](#stable-places)',
  replayWindow: '[Money](money.md#after-a-crash)',
}

/**
 * Writes the tables of a page anew. Each stands between `<!-- fields: NAME -->` and `<!-- end -->`.
 *
 * @param {string} page Markdown.
 * @param {{ readonly spec: object, readonly config: object }} schemas JSON Schemas of both files.
 */
export function withFieldTables(page, { spec, config }) {
  const tables = {
    spec: table('field | kind | meaning | default', rowsOf(spec)),
    animation: table('field of an animation | kind | meaning | default', rowsOf(spec.properties.animations.additionalProperties)),
    options: table(
      'option | meaning | default',
      rowsOf(config).flatMap((row) => [row, ...groupRows(row)]),
    ),
  }
  return page.replaceAll(
    /(<!-- fields: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
    (_, start, name, end) => `${start}\n${tables[name]}\n${end}`,
  )
}

function rowsOf({ properties, required = [] }, prefix = '') {
  return Object.entries(properties).map(([name, field]) => ({
    name: prefix + name,
    field,
    isRequired: required.includes(name) || / Required\.$/.test(field.description ?? ''),
  }))
}

/** The options of a group, such as `atlas`, or of the one object that an option may be, such as `service`. */
function groupRows({ name, field }) {
  const group = [field, ...(field.anyOf ?? [])].find(({ properties }) => properties)
  return group ? rowsOf(group, `${name}.`) : []
}

/** A group without a description has no row of its own. */
function table(head, rows) {
  const titles = head.split(' | ')
  const lines = rows
    .filter(({ field }) => field.description)
    .map((row) => titles.map((title, at) => (at === 0 ? `\`${row.name}\`` : cells(row)[title])))
  return [titles, titles.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function cells({ name, field, isRequired }) {
  const [, kind = '–', words] = /^(?:(PAID and FREE|PAID|FREE)\. )?([\s\S]*?)(?: Required\.)?$/.exec(field.description)
  const [meaning, preset = '–.'] = words.split(' Default: ')
  const link = more[name] ? `; see ${more[name]}` : ''
  return {
    kind,
    meaning: meaning.replace(/\.$/, '') + link,
    default: isRequired ? 'required' : field.default === undefined ? preset.replace(/\.$/, '') : `\`${JSON.stringify(field.default)}\``,
  }
}

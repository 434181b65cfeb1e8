import { expect, test } from 'vitest'
import { createWorld, runBoth, type WorldInit } from './world.ts'

/** The exit code, the printed refusal, and the facts of its document if there are any, of each command line. */
async function refuse(init: WorldInit, ...all: readonly (readonly string[])[]): Promise<string> {
  const found: string[] = []
  for (const argv of all) {
    const { code, text, err, json } = await runBoth(init, ...argv)
    const { facts } = json.error as { readonly facts: object }
    const shown = Object.keys(facts).length > 0 ? [JSON.stringify(facts)] : []
    found.push([`${code} ${argv.join(' ')}`, text + err.trimEnd(), ...shown].join('\n  '))
  }
  return `\n${found.join('\n')}\n`
}

test('a command line that cannot be read is refused with what was expected, found and meant', async () => {
  const found = await refuse(
    {},
    ['ledgre'],
    ['xxxxxxxx'],
    ['shwo'],
    ['add'],
    ['revoke'],
    ['help', 'plam'],
    ['--quiet'],
    ['plan', '--markdwn'],
    ['status', '--xxxxxxxx'],
    ['doctor', 'hero', 'coin'],
    ['build', '--out'],
    ['build', '--out', '--frozen'],
    ['build', '--out', 'a', '--out=b', '--out', 'c'],
    ['build', '--frozen=no'],
    ['serve', '--port', '65536'],
    ['serve', '--credits', '0'],
    ['plan', '--root', 'none'],
  )
  expect(found).toMatchInlineSnapshot(`
    "
    2 ledgre
      error SW_USAGE Unknown command "ledgre". Did you mean "npx spritewright ledger"?
      {"found":"ledgre","nearest":"ledger"}
    2 xxxxxxxx
      error SW_USAGE Unknown command "xxxxxxxx". All commands: npx spritewright --help
      {"found":"xxxxxxxx"}
    2 shwo
      error SW_USAGE Unknown command "shwo". All commands: npx spritewright --help
      {"found":"shwo"}
    2 add
      error SW_USAGE Unknown command "add". Try "npx spritewright new": A spec for a picture; never overwrites.
      {"found":"add","nearest":"new"}
    2 revoke
      error SW_USAGE Unknown command "revoke". Try "npx spritewright approve --revoke": Asks, then records the approved ceilings.
      {"found":"revoke","nearest":"approve --revoke"}
    2 help plam
      error SW_USAGE Unknown command "plam". Did you mean "npx spritewright plan"?
      {"found":"plam","nearest":"plan"}
    2 --quiet
      error SW_USAGE Expected a command, found none. All commands: npx spritewright --help
      {"commands":["init","new","import","plan","approve","build","status","types","answer","review","recover","cancel","forget","ledger","disclose","store","doctor","trust","worker","mcp","serve","merge","schema"]}
    2 plan --markdwn
      error SW_USAGE Unknown option --markdwn of "spritewright plan". Did you mean --markdown?
      {"command":"plan","found":"--markdwn","nearest":"--markdown"}
    2 status --xxxxxxxx
      error SW_USAGE Unknown option --xxxxxxxx of "spritewright status". Its options: npx spritewright status --help
      {"command":"status","found":"--xxxxxxxx"}
    2 doctor hero coin
      error SW_USAGE Expected no names after "spritewright doctor", found "hero".
      {"command":"doctor","found":["hero","coin"]}
    2 build --out
      error SW_USAGE Expected a value after --out: --out <dir>.
      {"option":"--out"}
    2 build --out --frozen
      error SW_USAGE Expected a value after --out: --out <dir>.
      {"option":"--out"}
    2 build --out a --out=b --out c
      error SW_USAGE Expected --out once, found it 3 times.
      {"option":"--out"}
    2 build --frozen=no
      error SW_USAGE Expected --frozen without a value, found "no".
      {"option":"--frozen"}
    2 serve --port 65536
      error SW_USAGE Expected --port to be a port from 0 to 65535, found "65536".
      {"option":"--port","expected":"a port from 0 to 65535","found":"65536"}
    2 serve --credits 0
      error SW_USAGE Expected --credits to be an amount of credits above 0 with at most four decimals, like 2.4, found "0".
      {"option":"--credits","expected":"an amount of credits above 0 with at most four decimals, like 2.4","found":"0"}
    2 plan --root none
      error SW_USAGE Expected --root to be a folder, found none at "none".
      {"option":"--root","found":"/game/none"}
    "
  `)
})

test('options that contradict each other are refused, and nothing is opened', async () => {
  const lines = [
    ['plan', '--pictures', 'x'],
    ['plan', '--markdown', '--pictures-url', 'https://x'],
    ['plan', '--markdown', '--pictures', 'a b'],
    ['plan', '--markdown', '--pictures', 'a', '--pictures-url', '<x>'],
    ['approve', '--revoke', '--yes'],
    ['approve', '--standing', 'hero'],
    ['build', '--out', 'x', '--buy-only'],
    ['build', '--disclose', 'a.png'],
    ['build', '--disclose', 'a.csv', '--watch'],
    ['build', '--disclose', 'a.csv', '--buy-only'],
    ['build', '--disclose', 'package.json'],
    ['recover', 'hero'],
    ['cancel'],
    ['forget', 'a', 'b'],
    ['answer', 'hero'],
    ['review'],
    ['review', 'a', 'b'],
    ['ledger', '--by', 'day'],
    ['ledger', '--since', '2026-02-30'],
    ['ledger', '--until', '2026-13'],
    ['ledger', '--since', '2026-11-02', '--until', '2026-11-01'],
    ['ledger', '--verify', '--by', 'month'],
    ['ledger', '--verify', '--csv'],
    ['trust', 'a', '--touch', 'k'],
    ['trust', '--remove'],
    ['trust', 'a', 'b'],
    ['worker', 'start'],
    ['worker', 'status', 'hero'],
    ['worker', '--http', 'x'],
    ['import'],
    ['new', 'hero'],
    ['new', 'hero', 'none.png'],
    ['new', 'hero', '/game'],
    ['merge', '--ours', '--theirs'],
    ['merge', '--split', 'hero'],
    ['merge', '--split', '--ours'],
    ['store'],
    ['store', 'prun'],
    ['store', 'xxxxxxxx'],
    ['store', 'ls', '--force'],
    ['store', 'pull', '--yes'],
    ['store', 'push', '--shared'],
    ['store', 'ls', '--dry-run'],
    ['store', 'gc'],
    ['doctor', '--spend', '2'],
    ['doctor', '--contract', '--openapi', 'x'],
    ['init', '--embedded', '--own'],
    ['init', '--engine', 'unity'],
    ['init', '--folder', '../x'],
    ['disclose', '--csv', '--texts'],
    ['disclose', '--out', 'none'],
  ]
  expect(await refuse({}, ...lines)).toMatchInlineSnapshot(`
    "
    2 plan --pictures x
      error SW_USAGE Expected --markdown beside --pictures, since only Markdown links them.
    2 plan --markdown --pictures-url https://x
      error SW_USAGE Expected --pictures FOLDER beside --pictures-url, which says where a reader finds it.
    2 plan --markdown --pictures a b
      error SW_USAGE Expected a folder or an address without blanks, quotes, < and >, found "a b". Markdown could not link it.
    2 plan --markdown --pictures a --pictures-url <x>
      error SW_USAGE Expected a folder or an address without blanks, quotes, < and >, found "<x>". Markdown could not link it.
    2 approve --revoke --yes
      error SW_USAGE Expected approve --revoke alone, or with names: it takes approvals back.
    2 approve --standing hero
      error SW_USAGE Expected approve --standing alone: it accepts the ceilings that the configuration has.
    2 build --out x --buy-only
      error SW_USAGE Expected --out or --buy-only, found both: --buy-only writes no atlas. Leave one out.
    2 build --disclose a.png
      error SW_USAGE Expected --disclose with a file that ends in .csv, .json or .txt, without --buy-only and --watch, found "a.png".
    2 build --disclose a.csv --watch
      error SW_USAGE Expected --disclose with a file that ends in .csv, .json or .txt, without --buy-only and --watch, found "a.csv".
    2 build --disclose a.csv --buy-only
      error SW_USAGE Expected --disclose with a file that ends in .csv, .json or .txt, without --buy-only and --watch, found "a.csv".
    2 build --disclose package.json
      error SW_USAGE Expected --disclose with a new file or an earlier disclosure, found something else at package.json. Choose another name.
    2 recover hero
      error SW_USAGE Expected one name and one decision: npx spritewright recover hero.walk --replay (send the same bytes again), or --abandon (give it up).
    2 cancel
      error SW_USAGE Expected one name: npx spritewright cancel hero
    2 forget a b
      error SW_USAGE Expected one name: npx spritewright forget hero
    2 answer hero
      error SW_USAGE Expected a name and an answer: npx spritewright answer hero.walk "with the left hand"
    2 review
      error SW_USAGE Expected one name of a sprite, an animation or a picture, as in "npx spritewright review hero.walk", found none.
      {"names":[]}
    2 review a b
      error SW_USAGE Expected one name of a sprite, an animation or a picture, as in "npx spritewright review hero.walk", found 2.
      {"names":["a","b"]}
    2 ledger --by day
      error SW_USAGE Expected --by with one of person, project, month, sprite, found "day".
    2 ledger --since 2026-02-30
      error SW_USAGE Expected --since with a day or a month, like 2026-11-30 or 2026-11, found "2026-02-30".
    2 ledger --until 2026-13
      error SW_USAGE Expected --until with a day or a month, like 2026-11-30 or 2026-11, found "2026-13".
    2 ledger --since 2026-11-02 --until 2026-11-01
      error SW_USAGE Expected --until not to be before --since, found an earlier time. Change one of them.
    2 ledger --verify --by month
      error SW_USAGE Expected --verify without --since, --until, --by and --csv, because it compares every line. Leave the others out.
    2 ledger --verify --csv
      error SW_USAGE Expected --verify without --since, --until, --by and --csv, because it compares every line. Leave the others out.
    2 trust a --touch k
      error SW_USAGE Expected trust --touch KEY without an address.
    2 trust --remove
      error SW_USAGE Expected an address for --remove, found none: npx spritewright trust HOST --remove. The command without arguments lists them.
    2 trust a b
      error SW_USAGE Expected at most one address: npx spritewright trust [HOST] [--remove]
    2 worker start
      error SW_USAGE Expected npx spritewright worker, or npx spritewright worker status, found "start".
    2 worker status hero
      error SW_USAGE Expected npx spritewright worker, or npx spritewright worker status, found "status hero".
    2 worker --http x
      error SW_USAGE Expected --http to be like 127.0.0.1:9464, found "x".
      {"option":"--http"}
    2 import
      error SW_USAGE Expected a .tps, a .ftpp or a folder of AssetPack: npx spritewright import art/sheets.tps
    2 new hero
      error SW_USAGE Expected a name and a picture: npx spritewright new hero drawings/hero.png --prompt "a small knight"
    2 new hero none.png
      error SW_USAGE Expected a picture at "none.png", found nothing.
    2 new hero /game
      error SW_USAGE Expected a picture at "/game", found a folder.
    2 merge --ours --theirs
      error SW_USAGE Expected --ours or --theirs, found both.
    2 merge --split hero
      error SW_USAGE Expected --split alone. Resolve conflicts first.
    2 merge --split --ours
      error SW_USAGE Expected --split alone. Resolve conflicts first.
    2 store
      error SW_USAGE Expected store ls|verify|prune|push|pull|gc, found none of them. What they do: npx spritewright store --help
      {"expected":["ls","verify","prune","push","pull","gc"]}
    2 store prun
      error SW_USAGE Expected store ls|verify|prune|push|pull|gc, found "prun". Did you mean "npx spritewright store prune"?
      {"expected":["ls","verify","prune","push","pull","gc"],"found":"prun"}
    2 store xxxxxxxx
      error SW_USAGE Expected store ls|verify|prune|push|pull|gc, found "xxxxxxxx". What they do: npx spritewright store --help
      {"expected":["ls","verify","prune","push","pull","gc"],"found":"xxxxxxxx"}
    2 store ls --force
      error SW_USAGE Expected --force with "store prune", found it with "store ls", which deletes nothing. Leave it out.
      {"option":"--force","verb":"ls"}
    2 store pull --yes
      error SW_USAGE Expected --yes with "store prune", found it with "store pull", which deletes nothing. Leave it out.
      {"option":"--yes","verb":"pull"}
    2 store push --shared
      error SW_USAGE Expected --shared with "store prune", found it with "store push", which deletes nothing. Leave it out.
      {"option":"--shared","verb":"push"}
    2 store ls --dry-run
      error SW_USAGE Expected --dry-run with "store gc", found it with "store ls". Leave it out.
      {"option":"--dry-run","verb":"ls"}
    2 store gc
      error SW_USAGE Expected --dry-run after "store gc", found none. It only lists: a person who knows all projects of the store decides, and deletes by the command that it prints.
      {"option":"--dry-run"}
    2 doctor --spend 2
      error SW_USAGE Expected doctor --contract [--spend C], or doctor --openapi FILE, found --spend without --contract.
      {"found":"--spend without --contract"}
    2 doctor --contract --openapi x
      error SW_USAGE Expected doctor --contract [--spend C], or doctor --openapi FILE, found --contract and --openapi together.
      {"found":"--contract and --openapi together"}
    2 init --embedded --own
      error SW_USAGE Expected --embedded or --own, found both. Nothing was written.
    2 init --engine unity
      error SW_USAGE Expected --engine to be phaser or pixi, found "unity". Nothing was written.
      {"option":"--engine","found":"unity"}
    2 init --folder ../x
      error SW_USAGE Expected a folder of the project, such as sprites or art/sprites, found "../x". Nothing was written.
    2 disclose --csv --texts
      error SW_USAGE Expected one of --csv, --texts and --json, found several. Leave the others out.
    2 disclose --out none
      error SW_USAGE Expected the output folder of a build, found none at none. Make it: npx spritewright build --out none
    "
  `)
  const world = createWorld()
  for (const argv of lines) await world.run(...argv)
  expect(world.opened).toEqual([])
})

test('options that only text allows are refused as JSON, with the same words', async () => {
  const found: string[] = []
  for (const argv of [
    ['plan', '--markdown'],
    ['ledger', '--csv'],
    ['build', '--watch'],
    ['disclose', '--csv'],
  ]) {
    const world = createWorld()
    found.push(`${await world.run(...argv, '--json')} ${argv.join(' ')}: ${(world.json().error as { message: string }).message}`)
  }
  expect(found).toMatchInlineSnapshot(`
    [
      "2 plan --markdown: Expected --markdown or --json, found both. Leave one out.",
      "2 ledger --csv: Expected one of --csv and --json, found both. Leave one out.",
      "2 build --watch: Expected --watch or --json, found both. Leave one out.",
      "2 disclose --csv: Expected one of --csv, --texts and --json, found several. Leave the others out.",
    ]
  `)
})

test('without a terminal, a command that would ask names the option or the variable that answers', async () => {
  const desk = { wordOf: () => 'word', route: async () => undefined } as never
  const found = await refuse(
    { workshop: { trust: desk } },
    ['forget', 'hero'],
    ['store', 'prune', 'ab'],
    ['trust', 'https://x'],
    ['trust', '--touch', 'k'],
  )
  expect(found).toMatchInlineSnapshot(`
    "
    2 forget hero
      error SW_USAGE Expected --yes, since there is no terminal to ask at: the service deletes for good.
      {"option":"--yes"}
    2 store prune ab
      error SW_USAGE Expected --yes, since there is no terminal to ask at. To list the results that may be deleted: npx spritewright store prune
      {"option":"--yes"}
    2 trust https://x
      error SW_USAGE Expected a terminal to ask at: only a person confirms an address for the API key. Without one, set SPRITEWRIGHT_TRUSTED_HOSTS in the environment.
    2 trust --touch k
      error SW_USAGE Expected a terminal to ask at: only a person lets an authenticator approve. For a machine without a person, set SPRITEWRIGHT_TOUCH_KEYS in its environment.
    "
  `)
})

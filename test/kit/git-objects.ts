import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'

/** Files by their paths. One whose text begins with `->` is a link. */
export type GitFiles = Readonly<Record<string, string>>

/** A repository that is written without git, which would start a process for each step. */
export interface GitObjects {
  /** Writes a commit, and lets a ref point to it. Returns its name. */
  commit(ref: string, files: GitFiles, ...parents: readonly string[]): string
  /** Writes a tag with words of its own, and lets a ref point to it. */
  tag(ref: string, commit: string): void
  /** Writes the content of a file. Returns its name. */
  blob(text: string): string
  /** Writes a file of the repository itself. */
  put(path: string, text: string): void
}

/**
 * Makes a repository.
 *
 * @param folder The `.git` of a work tree, or a bare repository.
 * @param config More lines of its configuration.
 */
export function createGitObjects(folder: string, config = ''): GitObjects {
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const store = (type: string, body: Uint8Array): string => {
    const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
    const id = createHash('sha1').update(bytes).digest('hex')
    put(`objects/${id.slice(0, 2)}/${id.slice(2)}`, deflateSync(bytes))
    return id
  }
  const blob = (text: string): string => store('blob', Buffer.from(text))
  const tree = (files: readonly (readonly [path: string, text: string])[]): string => {
    const nameOf = (path: string): string => path.replace(/\/.*/s, '/')
    const entries = [...new Set(files.map(([path]) => nameOf(path)))].map((name): readonly [string, Buffer] => {
      const inner = files.filter(([path]) => nameOf(path) === name)
      const [, text = ''] = inner[0] ?? []
      const isFolder = name.endsWith('/')
      const mode = isFolder ? '40000' : text.startsWith('->') ? '120000' : '100644'
      const id = isFolder ? tree(inner.map(([path, each]) => [path.slice(name.length), each])) : blob(text.replace(/^->/, ''))
      return [name, Buffer.concat([Buffer.from(`${mode} ${name.replace(/\/$/, '')}\0`), Buffer.from(id, 'hex')])]
    })
    const sorted = entries.sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    return store('tree', Buffer.concat(sorted.map(([, bytes]) => bytes)))
  }
  const who = 'a <a@example.invalid> 1 +0000'
  put('HEAD', 'ref: refs/heads/main\n')
  put('config', `[core]\nrepositoryformatversion = 0\n${config}`)
  for (const each of ['objects', 'refs']) mkdirSync(join(folder, each))
  return {
    blob,
    put,
    commit: (ref, files, ...parents) => {
      const lines = [`tree ${tree(Object.entries(files))}`, ...parents.map((one) => `parent ${one}`), `author ${who}`, `committer ${who}`]
      const id = store('commit', Buffer.from(`${lines.join('\n')}\n\n${ref}\n`))
      put(ref, `${id}\n`)
      return id
    },
    tag: (ref, commit) => {
      const lines = [`object ${commit}`, 'type commit', `tag ${ref.split('/').at(-1)}`, `tagger ${who}`]
      put(ref, `${store('tag', Buffer.from(`${lines.join('\n')}\n\nwords\n`))}\n`)
    },
  }
}

/** The lines of a configuration for a remote. */
export function remoteLines(name: string, path: string): string {
  return `[remote "${name}"]\nurl = ${path}\nfetch = +refs/heads/*:refs/remotes/${name}/*\n`
}

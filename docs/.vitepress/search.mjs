/**
 * Weighs a section in the search of the guide: pages for users come before the reference of the API, and the
 * decisions, which say why and not how, come last. The site has the text of this function, so it uses no other.
 *
 * @param {string} id Address of the section.
 */
export function boostDocument(id) {
  if (/^\/decisions\//.test(id)) return 0.01
  return /^\/(?:api\/|conformance)/.test(id) ? 0.1 : 1
}

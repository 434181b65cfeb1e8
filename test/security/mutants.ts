import type { Patch } from '../sim/bundle.ts'

/** A version of the code in which one check of trust is left out. */
export interface Mutant {
  readonly name: string
  readonly patches: readonly Patch[]
}

const one = (name: string, file: string, find: string, replace: string): Mutant => ({ name, patches: [{ file, find, replace }] })

const approval = 'src/credit/approval.ts'
const signing = 'src/credit/signing-key.ts'
const touch = 'src/credit/touch.ts'
const standing = 'src/credit/standing.ts'
const body = 'src/job/body.ts'
const fold = 'src/job/records/fold.ts'
const chain = 'src/job/records/chain.ts'
const hosts = 'src/project/trust/hosts.ts'

/** Each part that an approval signs, left out once. */
const signedParts = ['hash', 'host', 'keyMode', 'apiVersion', 'formatCredits(ceiling)'].map((part) =>
  one(
    `the approval does not sign ${part}`,
    approval,
    'const what = [hash, host, keyMode, apiVersion, formatCredits(ceiling), priceVersion, buyer, at, given, checkout]',
    `const what = [hash, host, keyMode, apiVersion, formatCredits(ceiling), priceVersion, buyer, at, given, checkout].filter((one) => one !== ${part})`,
  ),
)
const signedTerms = ['at', 'given', 'checkout', 'priceVersion'].map((part) =>
  one(
    `the approval does not sign ${part}`,
    approval,
    "return JSON.stringify(['spritewright approval 1', ...what])",
    `return JSON.stringify(['spritewright approval 1', ...what.filter((one) => one !== ${part})])`,
  ),
)
/** An approval ends, and counts for one project. */
const ends = [
  one('the approval does not sign its project', approval, '...what, project, expires])', '...what, expires])'),
  one('the approval does not sign its end', approval, '...what, project, expires])', '...what, project])'),
  one('an older approval counts', approval, 'newest !== undefined && at < newest.at', "newest !== undefined && at === ''"),
  one('a forgotten approval counts', approval, "at !== newest?.at) return 'elsewhere'", "at === '') return 'elsewhere'"),
  one('an approval has no end', approval, '< until ? undefined', '< until + 1e15 ? undefined'),
  one('a clock that went back makes an approval live longer', approval, 'Math.max(now, approvers.latest ?? 0)', 'now'),
  one('an approval of an earlier version has no end', approval, 'approvers.oldUntil ?? Number', 'Number'),
  one('an approval counts in every project', approval, 'project === approvers.project ?', 'project !== approvers.checkout ?'),
  one(
    'a key from the environment buys for every project',
    approval,
    'expires === undefined && !isOthers && approvers.project === undefined',
    '!isOthers',
  ),
]

/** Every check of invariant I11, left out once. */
export const mutants: readonly Mutant[] = [
  ...signedParts,
  ...signedTerms,
  ...ends,
  one(
    'an unsigned approval is looked at no further',
    approval,
    "given === undefined) return 'unsigned'",
    "given === undefined) return 'valid'",
  ),
  one("the fingerprint need not be the key's", approval, 'fingerprintOf(publicKey) === buyer && ', ''),
  one('the signature of an approval is not checked', approval, ' && isSignatureOf(approval, approvalText(hash, service, approval))', ''),
  one('an approval needs no touch', approval, "return touched ?? 'forged'", 'void touched'),
  one('every authenticator counts', touch, "if (!key) return 'unenrolled'", "if (!key) return 'valid'"),
  one('a touch is for any approval', touch, ' || said.challenge !== challenge', ''),
  one('a touch counts at every origin', touch, 'url.origin === origin && url.hostname === rpId', 'url.origin === origin'),
  one('a registration counts as a touch', touch, "said.type !== 'webauthn.get' || ", ''),
  one('a touch counts for every relying party', touch, ' && data.subarray(0, 32).equals(sha256(rpId))', ''),
  one('nobody need be present', touch, '(flags & userPresent) === 0 || ', ''),
  one('nobody need be verified', touch, ' || (flags & userVerified) === 0', ''),
  one('a counter may be set back', touch, "approved.at)) return 'forged'", 'approved.at)) void 0'),
  one(
    'the signature of a touch is not checked',
    touch,
    "isSignedBy(key, touch) ? 'valid' : 'forged'",
    "isSignedBy(key, touch) ? 'valid' : 'valid'",
  ),
  one('any key may approve', approval, "if (!isTrustedKey(publicKey, approvers)) return 'other'", ''),
  one(
    'an approval counts in every checkout',
    approval,
    "!approvers.isKeyFromEnvironment)) return 'elsewhere'",
    '!approvers.isKeyFromEnvironment)) return undefined',
  ),
  one('every way of giving counts', approval, 'approvers.given === undefined || approvers.given.has(given)', 'approvers !== undefined'),
  one('every signature is right', signing, 'return verify(null, Buffer.from(text), key, signed)', 'return signed.length > 0'),
  one(
    'every seal is right',
    signing,
    'return given.length === expected.length && timingSafeEqual(given, expected)',
    'return given.length === expected.length',
  ),
  one(
    'a seal does not know its text',
    signing,
    "createHmac('sha256', secret).update(text).digest()",
    "createHmac('sha256', secret).update('').digest()",
  ),
  one(
    'all users have one secret',
    signing,
    "createHmac('sha256', Buffer.from(d, 'base64url'))",
    "createHmac('sha256', Buffer.from(d.slice(0, 0), 'base64url'))",
  ),
  one('a record counts as own without a seal', chain, 'key.isSealOf(record.seal, sealText(chain, record))', 'record.sum !== undefined'),
  one(
    'the seal of a record does not name its chain',
    'src/job/records/file.ts',
    "return JSON.stringify(['spritewright record 1', chain, sum])",
    "return JSON.stringify(['spritewright record 1', chain.slice(0, 0), sum])",
  ),
  one(
    'the seal of a record does not cover its history',
    'src/job/records/file.ts',
    "return JSON.stringify(['spritewright record 1', chain, sum])",
    "return JSON.stringify(['spritewright record 1', chain, sum.slice(0, 0)])",
  ),
  one('foreign records are folded like own ones', fold, 'if (!isOwn) return state.isForeign ? state : { ...state, isForeign: true }', ''),
  one(
    'one own record makes foreign ones good',
    fold,
    'if (!state.isForeign || !isGivenUp) return state',
    'if (!state.isForeign) return state',
  ),
  one(
    "a person's replay makes foreign records good",
    fold,
    "body.decision === 'abandon' && body.about !== 'answer'",
    "body.about !== 'answer'",
  ),
  one('another attempt forgets foreign records', fold, '    ...(isForeign ? { isForeign } : {}),\n', ''),
  one(
    'foreign records lead to a POST',
    'src/job/decision.ts',
    'if (!isPost || !submission.isForeign) return step',
    'if (!isPost || step) return step',
  ),
  one('a planted answer is sent', 'src/job/decision.ts', " || step.do === 'answer'", ''),
  one('a planted first attempt is sent', 'src/job/decision.ts', "step.do === 'prepare' || ", ''),
  one('a planted replay is sent', 'src/job/decision.ts', "step.do === 'replay' || ", ''),
  one(
    'the failure of an execution of the lock file starts another attempt',
    'src/job/decision.ts',
    'accepted === undefined || !isTakenOver(accepted)',
    'submission !== undefined',
  ),
  one(
    'the right to buy is not asked for',
    body,
    'const approval = authorise(ports, order, newest, isReplay ? approvalOf(frozen) : undefined)',
    'const approval = order.approval ?? approvalOf(frozen)',
  ),
  one('a first POST may rest on the approval of its record', body, 'isReplay ? approvalOf(frozen) : undefined', 'approvalOf(frozen)'),
  one('the request need not be that of the hash', body, "requestHash(request, identity) === hash ? [] : ['its request']", '[]'),
  one(
    'the key need not follow from the request',
    body,
    "frozen.key === idempotencyKey(identity, hash, frozen.attempt) ? [] : ['its key']",
    '[]',
  ),
  one('the bytes are not compared', body, 'frozen.body === made && ', ''),
  one('the hash of the bytes is not compared', body, ' && frozen.bodySha256 === sha256(bytes)', ''),
  one('the maximum in the body is not held against the ceiling', body, '[maxCredits, inBody].some', '[maxCredits].some'),
  one(
    'no maximum is held against the ceiling',
    body,
    'if (![maxCredits, inBody].some((credits) => isAboveCeiling(credits, approval.ceiling))) return',
    'if (maxCredits !== undefined) return',
  ),
  one('anybody may freeze for the lock file', body, '!isTrusted(submission.publicKey)', 'isTrusted === undefined'),
  one(
    'the signature of frozen bytes is not checked',
    body,
    'return isSignatureOf(submission, submissionText(hash, submission)) ? submission : undefined',
    'return submission',
  ),
  one(
    'frozen bytes do not sign their request',
    body,
    "['spritewright submission 1', hash, attempt, key, body]",
    "['spritewright submission 1', attempt, key, body]",
  ),
  one(
    'frozen bytes do not sign their attempt',
    body,
    "['spritewright submission 1', hash, attempt, key, body]",
    "['spritewright submission 1', hash, key, body]",
  ),
  one(
    'frozen bytes do not sign their key',
    body,
    "['spritewright submission 1', hash, attempt, key, body]",
    "['spritewright submission 1', hash, attempt, body]",
  ),
  one(
    'frozen bytes do not sign their body',
    body,
    "['spritewright submission 1', hash, attempt, key, body]",
    "['spritewright submission 1', hash, attempt, key]",
  ),
  one('anybody may freeze what is taken over', 'src/job/freeze.ts', 'publicKey === entry.approval?.publicKey', 'publicKey.length > 0'),
  one('bytes are taken over unseen', 'src/job/freeze.ts', "attempt) ? frozen : 'others'", 'attempt) ? frozen : frozen'),
  one('the id of an upload may hide what is shown', 'src/job/freeze.ts', '!frozen || !plainId', '!frozen || !/^/'),
  one(
    'a replay rests on an unsigned approval',
    'src/job/stop.ts',
    "verdictOn(sent, 'used') === 'valid'",
    "verdictOn(sent, 'used').length > 0",
  ),
  one(
    'a stranger’s approval is authority',
    'src/job/stop.ts',
    "if (verdict === 'valid') return approval",
    "if (verdict !== 'unsigned') return approval",
  ),
  one('a planted upload is used', 'src/job/uploads.ts', 'return isOwn && typeof referenceId', 'return typeof referenceId'),
  one(
    'an upload does not name its picture',
    'src/job/uploads.ts',
    'identity.keyMode, sha256, referenceId])',
    'identity.keyMode, referenceId])',
  ),
  one(
    'an upload does not name its service',
    'src/job/uploads.ts',
    "['spritewright upload 1', identity.host, ",
    "['spritewright upload 1', ",
  ),
  one("somebody else's record gives a share back", 'src/job/records/shares.ts', 'if (own.has(record)) taken.delete', 'taken.delete'),
  one('a foreign chain gives a share back', 'src/job/records/reservations.ts', '!view || view.submission.isForeign', '!view'),
  one(
    'accepted ceilings do not name their project',
    standing,
    "['spritewright standing 1', place, service.host",
    "['spritewright standing 1', service.host",
  ),
  one(
    'accepted ceilings do not name their service',
    standing,
    'place, service.host, service.keyMode, textOf(ceilings), at]',
    'place, textOf(ceilings), at]',
  ),
  one('accepted ceilings do not sign their amounts', standing, 'service.keyMode, textOf(ceilings), at]', 'service.keyMode, at]'),
  one('anybody may accept ceilings', standing, 'accepted.publicKey === key.publicKey && ', ''),
  one(
    'other ceilings than those that were accepted',
    standing,
    'isSameService && textOf(accepted.ceilings) === textOf(ceilings)',
    'isSameService',
  ),
  one('accepted ceilings count at every service', standing, 'return isSameService && ', 'return '),
  one(
    'every address is bound to the key',
    hosts,
    "address.source === 'environment' || address.source === credentials.keySource",
    "address.source !== ''",
  ),
  one(
    'a confirmed address gets every key',
    hosts,
    'one.origin === origin && one.key === key)\n  return',
    'one.origin === origin)\n  return',
  ),
  one(
    'a confirmation counts for every address',
    hosts,
    'one.origin === origin && one.key === key)\n  return',
    'one.key === key)\n  return',
  ),
  one('an untrusted address is let pass', hosts, "if (route.trust !== 'none') return", 'if (route.trust !== undefined) return'),
  one(
    'CI buys without being told in whose name',
    'src/workshop/may-buy.ts',
    '(!options.isCi || isAppointed(host))',
    '(!options.isCi || host !== undefined)',
  ),
  one('a planted checkout name is believed', 'src/project/trust/checkout.ts', 'key.isSealOf(seal, sealText(name))', 'seal.length > 0'),
]

// What journals say when they refuse or warn, in Chinese.

import type { SentenceRow } from "../../yaml-file/diagnostic.ts";

const RESTORE = "请运行一次校验，并换回日志的副本。";

export const JOURNAL_SENTENCES: readonly SentenceRow[] = [
  // Writing, reading, closing.
  [
    "Session {} has {} entries, but this writer expected to continue after entry {}: another process, or another Faultline in this one, has this session open and was first. A session belongs to one of them at a time: end the other one, then open the session again.",
    "会话 {1} 有 {2} 个条目，而这里以为要在条目 {3} 之后继续：另一个进程，或本进程中的另一个 Faultline，也打开了此会话并先写了。一个会话同一时间只属于其中一个：请结束另一个，再重新打开此会话。",
  ],
  [
    "The journal is closed. Open it again, or call createFaultline again, to continue.",
    "日志已关闭。请重新打开它，或重新调用 createFaultline，然后再继续。",
  ],
  [
    "Entry {} of session {} is not what was written: its hash is that of another one. Run a verification of the journal it comes from.",
    "会话 {2} 的条目 {1} 与写入时不同：它的散列属于另一个条目。请校验它来自的日志。",
  ],
  [
    "Entry {} of session {} is not what was written: its hash is that of another one. Run a verification, and restore a copy of the journal.",
    `会话 {2} 的条目 {1} 与写入时不同：它的散列属于另一个条目。${RESTORE}`,
  ],
  [
    "Entry {} of session {} is missing although later ones exist. Run a verification, and restore a copy of the journal.",
    `会话 {2} 缺少条目 {1}，而其后的条目存在。${RESTORE}`,
  ],
  [
    "The {} kept under {} is not what was written: {}. Run a verification, and restore a copy of the journal.",
    `以 {2} 保存的 {1} 与写入时不同：{3}。${RESTORE}`,
  ],
  [
    "The {} kept under {} is not what was written: {}. Run a verification of the journal it comes from.",
    "以 {2} 保存的 {1} 与写入时不同：{3}。请校验它来自的日志。",
  ],
  [
    "{} is not what was written: it is not JSON. Run a verification, and restore a copy of the journal.",
    `{1}与写入时不同：它不是 JSON。${RESTORE}`,
  ],
  ["entry {} of session {}, which it came with, is missing", "与它一同写入的会话 {2} 的条目 {1} 不存在"],
  ["entry {} of session {} came with another value", "会话 {2} 的条目 {1} 带有另一个值"],
  ["its checksum is that of another value", "它的校验和属于另一个值"],
  // Values and names.
  ["An event must say its type, e.g. `call-failed`.", "事件必须写明类型，如 `call-failed`。"],
  ["There is no kind of kept value called {}.", "没有名为 {1} 的保存值种类。"],
  ["there is no such kind of kept value", "没有这种保存值"],
  ["The key of a kept value", "保存值的键"],
  [
    "The {} kept under {} must come with the entry that tells of it. Use append.",
    "以 {2} 保存的 {1} 必须随说明它的条目一起写入。请用 append。",
  ],
  ["The {} kept under {}", "以 {2} 保存的 {1}"],
  [
    "Only a value can be kept first, and null takes one away. Use keep.",
    "首次只能保存一个值，null 表示移除。请用 keep。",
  ],
  [
    "The function that was to change the {} kept under {} failed; nothing was changed.",
    "要修改以 {2} 保存的 {1} 的函数失败了；没有任何改动。",
  ],
  ["A session's name must not contain a slash: {}.", "会话名称不能含有斜杠：{1}。"],
  ["The key of a hold", "占用的键"],
  ["The owner of a hold", "占用的持有者"],
  ["The end of a hold", "占用的结束时间"],
  ["The time a hold is asked for", "请求占用的时间"],
  ["{} must be a number of milliseconds, and is {}.", "{1}必须是毫秒数，而现在是 {2}。"],
  [
    "A position in the journal must be a whole number from 0, and is {}.",
    "日志中的位置必须是不小于 0 的整数，而现在是 {1}。",
  ],
  [
    "{} must be text of 1 to {} characters without control characters.",
    "{1}必须是 1 到 {2} 个字符的文本，且不含控制字符。",
  ],
  [
    "{} cannot be written as JSON (a cycle, a BigInt, a getter that throws). Make it plain data.",
    "{1}无法写成 JSON（有循环、BigInt 或会抛错的 getter）。请改为普通数据。",
  ],
  [
    "{} has no form in JSON (undefined, a function, a symbol). Make it plain data.",
    "{1}没有 JSON 形式（undefined、函数或 symbol）。请改为普通数据。",
  ],
  ["Entry {} of session {}", "会话 {2} 的条目 {1}"],
  ["The beginning of a trend", "趋势的开始时间"],
  ["The end of a trend", "趋势的结束时间"],
  ["`bucketMs` of a trend must be a number above 0, and is {}.", "趋势的 `bucketMs` 必须大于 0，而现在是 {1}。"],
  [
    "A trend has at most {} buckets, and this one would have {}. Use a larger `bucketMs`.",
    "一个趋势最多有 {1} 个区间，而这里会有 {2} 个。请用更大的 `bucketMs`。",
  ],
  // Verification.
  ["it is missing: entry {} comes next", "它不存在：下一个是条目 {1}"],
  ["it is missing: the session has {} entries", "它不存在：会话有 {1} 个条目"],
  ["it is not JSON", "它不是 JSON"],
  ["it is filed as {} and says something else", "它登记为 {1}，内容却不同"],
  [
    "it does not fit its hash and the one before: it, or its neighbour, was changed",
    "它与自己的散列和前一个散列不符：它或相邻的条目被改过",
  ],
  ["the session is said to have {} entries, and has {}", "登记的条目数是 {1}，实际有 {2} 个"],
  ["its hash is not the one that the session ends with", "它的散列与会话结尾的散列不同"],
  ["the session's status or times are not those that its entries give", "会话的状态或时间与其条目不符"],
  ["the {} kept under {}, which came with it, is missing", "与它一同写入的、以 {2} 保存的 {1} 不存在"],
  ["the index of failures does not say what this entry does", "故障索引与这个条目不符"],
  ["the index of failures has {} more of this session", "故障索引中这个会话多出 {1} 项"],
  ["it is not listed where its content says", "它没有列在其内容所说的位置"],
  ["the {} kept under {} is listed, and is not there", "以 {2} 保存的 {1} 已列出，但并不存在"],
  ["the {} kept under {} was changed", "以 {2} 保存的 {1} 被改过"],
  ["the {} kept under {}: {}", "以 {2} 保存的 {1}：{3}"],
  ["the groups of failures are not what their failures give: {}", "故障分组与其中的故障不符：{1}"],
  ["the session it belongs to is missing", "它所属的会话不存在"],
  // SQLite.
  ["The journal's file is not what was written ({}). {}", "日志文件与写入时不同（{1}）。{2}"],
  ["Restore a copy of the file, or move it away and begin a new one.", "请换回文件的副本，或把它移走后重新开始。"],
  ["Keep large values as artefacts.", "大的值请作为附件保存。"],
  [
    "{} is not a journal: it is not an SQLite file. It was not changed; name another file.",
    "{1} 不是日志：它不是 SQLite 文件。文件未被改动；请指定另一个文件。",
  ],
  [
    "{} is not a journal: it is the SQLite file of another program. It was not changed; name another file.",
    "{1} 不是日志：它是另一个程序的 SQLite 文件。文件未被改动；请指定另一个文件。",
  ],
  ["it is empty, and the log beside it is not", "它是空的，而旁边的日志文件不是"],
  ["it has {} bytes", "它只有 {1} 字节"],
  ["its last page has {} of {} bytes", "它的最后一页只有 {1}/{2} 字节"],
  [
    "{} was cut off: {}. It was copied while in use, or the disk lost its end. It was not changed; restore a copy, or move it away and begin a new one.",
    "{1} 不完整：{2}。它可能在使用中被复制，或磁盘丢失了结尾。文件未被改动；请换回副本，或把它移走后重新开始。",
  ],
  [
    "{} was in use when it was last written to, but its log {}-wal is missing, and with it the last writes. Move or copy both files together. If another tool has merged the log into the file, create an empty {}-wal.",
    "{1} 上次写入时正在使用，但它的 {2}-wal 不存在，最后的写入也随之丢失。请把两个文件一起移动或复制。如果其他工具已把它合并进文件，请建立一个空的 {3}-wal。",
  ],
  [
    "{} was deleted, moved or replaced while this program has the journal open, so nothing is written until it is back. Move {} and {}-wal back; if you have only a copy of them, stop the program, put the copy there, and start it again.",
    "本程序打开日志期间，{1} 被删除、移动或替换，放回之前不会写入任何内容。请把 {2} 和 {3}-wal 移回原处；如果只有副本，请停止程序，放好副本，再重新启动。",
  ],
  [
    "A journal in a file needs Node 22.23, Node 24 or newer; this is Node {}, which has no SQLite. Install a newer Node, or keep the journal in memory: createFaultline() without the option `journal`.",
    "文件日志需要 Node 22.23、Node 24 或更新版本；当前是没有 SQLite 的 Node {1}。请安装更新的 Node，或把日志放在内存中：createFaultline() 不带 `journal` 选项。",
  ],
  [
    "The SQLite in Node {} is {}, which can damage a journal that two processes write to. It must be {} or newer: install Node 22.23 or newer, or the newest Node 24.",
    "Node {1} 自带的 SQLite 是 {2}，两个进程同时写入时可能损坏日志。它必须是 {3} 或更新：请安装 Node 22.23 或更新版本，或最新的 Node 24。",
  ],
  [
    "{} has version {} and this program knows versions up to {}: a newer program wrote it. It was not changed; upgrade this program.",
    "{1} 的版本是 {2}，本程序只认识到 {3}：它由更新的程序写入。没有任何改动；请升级本程序。",
  ],
  [
    "{} lacks {}: it is not a complete journal. Restore a copy, or move it away and begin a new one.",
    "{1} 缺少 {2}：它不是完整的日志。请换回副本，或把它移走后重新开始。",
  ],
  [
    "The journal needs SQLite's write-ahead log, and its file system gives {} instead. Put the file on a local disk.",
    "日志需要 SQLite 的预写日志，而其文件系统给出的是 {1}。请把文件放在本地磁盘上。",
  ],
  ["The journal has no store id. Restore a copy of its file.", "日志没有存储 ID。请换回文件的副本。"],
  [
    "A journal needs the name of a file. For one that only lives in memory use createMemoryJournal.",
    "日志需要一个文件名。只存在于内存中的日志请用 createMemoryJournal。",
  ],
  [
    "{} was opened read-only, so nothing is written to it. To write to it, open it without readOnly.",
    "{1} 以只读方式打开，不会写入任何内容。要写入，请不带 readOnly 打开。",
  ],
  [
    "{} has a log beside it that a program left there, which can only be read where {}-shm can be made. Copy {} and {}-wal to a folder of your own, and look at them there.",
    "{1} 旁边有程序留下的日志文件，只有能建立 {2}-shm 的地方才能读取。请把 {3} 和 {4}-wal 复制到您自己的文件夹中查看。",
  ],
  [
    "There is no journal at {}, and opening one read-only does not create it. Check the name.",
    "{1} 处没有日志，只读打开不会创建它。请检查名称。",
  ],
  // PostgreSQL.
  [
    "Raise max_connections of the server, lower ?connections= of each process, or use a pooler.",
    "请提高服务器的 max_connections，降低每个进程的 ?connections=，或使用连接池。",
  ],
  ["The journal's database {}: {}. {}", "日志的数据库{1}：{2}。{3}"],
  ["The journal's database {}: {}.{}", "日志的数据库{1}：{2}。{3}"],
  ["does not answer", "没有响应"],
  ["refused", "拒绝了请求"],
  [
    "The address of the journal cannot be read. Write it as postgres://host:5432/database, with the user and an @ before the host.",
    "无法读取日志的地址。请写成 postgres://host:5432/database，用户名和 @ 写在主机之前。",
  ],
  [
    "`schema` in the journal's address must be up to 40 lower-case letters, digits and underscores.",
    "日志地址中的 `schema` 最多 40 个字符，只能是小写字母、数字和下划线。",
  ],
  ["`pooler` in the journal's address must be {}.", "日志地址中的 `pooler` 必须是 {1}。"],
  [
    "The address of the journal has {} after its `?`, which neither Faultline nor `pg` knows. {}",
    "日志地址的 `?` 之后有 {1}，Faultline 和 `pg` 都不认识它。{2}",
  ],
  ["Known ones are {}.", "可用的有：{1}。"],
  ["Did you mean `{}`?", "是否想写 `{1}`？"],
  ["`{}` in the journal's address must be a whole number from {}.", "日志地址中的 `{1}` 必须是不小于 {2} 的整数。"],
  ["{} has files in its database. {}", "{1} 的文件在数据库中。{2}"],
  ["{} keeps its files in {}, and its address names {}. {}", "{1} 的文件在 {2} 中，而地址写的是 {3}。{4}"],
  [
    "To move files, copy the journal to a new schema whose address names the bucket.",
    "要移动文件，请把日志复制到一个新的 schema，并在其地址中写明存储桶。",
  ],
  ["The journal needs PostgreSQL {} or newer.", "日志需要 PostgreSQL {1} 或更新版本。"],
  [
    "The database has the encoding {}, and a journal needs UTF8. Create a database with it.",
    "数据库的编码是 {1}，而日志需要 UTF8。请建立一个 UTF8 编码的数据库。",
  ],
  [
    'The database\'s default_transaction_isolation is {}, and a journal needs "read committed". Change it for this user.',
    '数据库的 default_transaction_isolation 是 {1}，而日志需要 "read committed"。请为此用户修改。',
  ],
  [
    "The schema {} in {} is not a journal: it has tables of another program. It was not changed; name another one with ?schema=….",
    "{2} 中的 schema {1} 不是日志：其中有其他程序的表。没有任何改动；请用 ?schema=… 指定另一个。",
  ],
  [
    "{} does not say which version it has: its meta table was changed. Restore a copy of the database.",
    "{1} 没有写明版本：它的 meta 表被改过。请换回数据库的副本。",
  ],
  [
    "{} lacks {}: it is not a complete journal. Restore a copy of the database.",
    "{1} 缺少 {2}：它不是完整的日志。请换回数据库的副本。",
  ],
  [
    "There is no journal at {}. A program that opens it for writing creates it.",
    "{1} 处没有日志。以写入方式打开它的程序会创建它。",
  ],
  [
    "{} has version {}, which this program only reads after an upgrade. Open it for writing once.",
    "{1} 的版本是 {2}，本程序升级它之后才能读取。请以写入方式打开一次。",
  ],
  ["the connection failed", "连接失败"],
  [
    "Its schema was changed or removed, perhaps by a newer program. Open the journal again, or upgrade this program.",
    "它的 schema 被修改或移除，可能是更新的程序所为。请重新打开日志，或升级本程序。",
  ],
  [
    "Behind a pooler such as PgBouncer in transaction mode, add ?pooler=transaction to the address.",
    "如果经过 PgBouncer 等事务模式的连接池，请在地址中加上 ?pooler=transaction。",
  ],
  ["The server lacks memory or disk space. Make room for it.", "服务器的内存或磁盘空间不足。请腾出空间。"],
  ["The statement took longer than `statement_timeout` allows.", "语句的执行时间超过了 `statement_timeout`。"],
  [
    "Check user and password, in the address or in PGUSER and PGPASSWORD.",
    "请检查地址或 PGUSER、PGPASSWORD 中的用户名和密码。",
  ],
  ["Create the database first; the journal makes only its own schema.", "请先建立数据库；日志只建立自己的 schema。"],
  ["Give the user the right to create and use the journal's schema.", "请授予该用户建立和使用日志 schema 的权限。"],
  ["Run a verification, and restore a copy of the database.", "请运行一次校验，并换回数据库的副本。"],
  ["Change the value, or keep it as an artefact.", "请修改这个值，或作为附件保存。"],
  ["Keep large values as artefacts, and use shorter keys.", "大的值请作为附件保存，并使用较短的键。"],
  [
    "Check host and port, in the address or in PGHOST and PGPORT, and whether the server runs.",
    "请检查地址或 PGHOST、PGPORT 中的主机和端口，以及服务器是否在运行。",
  ],
  [
    "Check TLS: `sslmode` and the certificate files in the address, and whether the server offers TLS.",
    "请检查 TLS：地址中的 `sslmode` 和证书文件，以及服务器是否提供 TLS。",
  ],
  ["Other processes keep writing to the same sessions. Try again.", "其他进程一直在写入同样的会话。请再试一次。"],
  // Files, exports, copies.
  ["The bucket {} refused: {}.{}", "存储桶 {1} 拒绝了请求：{2}。{3}"],
  [
    " Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their rights.",
    "请检查 AWS_ACCESS_KEY_ID、AWS_SECRET_ACCESS_KEY 及其权限。",
  ],
  ["An artefact needs a session, a call and a name.", "附件需要会话、调用和名称。"],
  ["maxBytes must be at least {}, and is {}.", "maxBytes 至少是 {1}，而现在是 {2}。"],
  ["{} names no artefact. Use the ref of an artefact-kept entry.", "{1} 不是附件。请用 artefact-kept 条目中的 ref。"],
  [
    "`files` in the journal's address must be s3://bucket or s3://bucket/prefix.",
    "日志地址中的 `files` 必须是 s3://bucket 或 s3://bucket/prefix。",
  ],
  [
    "The bucket {} needs keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    "存储桶 {1} 需要密钥。请设置 AWS_ACCESS_KEY_ID 和 AWS_SECRET_ACCESS_KEY。",
  ],
  [
    "AWS_ENDPOINT_URL must be an address such as https://s3.example.org, without a user or a password.",
    "AWS_ENDPOINT_URL 必须是 https://s3.example.org 这样的地址，不带用户名和密码。",
  ],
  [
    "Files in a bucket need the package aws4fetch. Run: npm install aws4fetch",
    "存储桶中的文件需要软件包 aws4fetch。请运行：`npm install aws4fetch`",
  ],
  [
    "The bucket {} does not answer. Check AWS_ENDPOINT_URL and AWS_REGION.",
    "存储桶 {1} 没有响应。请检查 AWS_ENDPOINT_URL 和 AWS_REGION。",
  ],
  [
    "There is no bucket {}. Create it; the journal makes only objects in it.",
    "没有存储桶 {1}。请建立它；日志只在其中建立对象。",
  ],
  [
    "{} entries of session {} could be written neither to the journal nor to a rescue file ({}). {}",
    "会话 {2} 的 {1} 个条目既无法写入日志，也无法写入救援文件（{3}）。{4}",
  ],
  ["no folder was named", "没有指定文件夹"],
  ["Name a folder that can be written to.", "请指定一个可写的文件夹。"],
  [
    "This session file cannot be trusted, line {}: {}. Nothing was imported; export the session again, or look for another copy.",
    "不能信任这个会话文件，第 {1} 行：{2}。没有导入任何内容；请重新导出会话，或换一个副本。",
  ],
  ["there is nothing in it", "其中没有内容"],
  ["the header was changed", "文件头被改过"],
  ["it holds entry {} where entry {} must follow", "这里是条目 {1}，而应当是条目 {2}"],
  ["it is not an entry", "它不是条目"],
  ["entry {} was changed", "条目 {1} 被改过"],
  ["it is not a kept value", "它不是保存值"],
  ["the file ends after {} of {} entries", "文件在 {1}/{2} 个条目之后就结束了"],
  ["it, or the last line ({}), was changed", "它或最后一行（{1}）被改过"],
  ["it stands behind the end of the file", "它在文件结尾之后"],
  ["it is not JSON: the line was cut or changed", "它不是 JSON：这一行被截断或改过"],
  ["the file was cut: its last line is missing", "文件被截断：缺少最后一行"],
  ["it is not the header of a session file", "它不是会话文件的文件头"],
  ["the file has version {} and this program knows {}: upgrade it", "文件的版本是 {1}，本程序认识 {2}：请升级"],
  ["the header lacks something", "文件头不完整"],
  ["There is no session {} in store {}.", "存储 {2} 中没有会话 {1}。"],
  ["Session {} was removed while it was exported.", "会话 {1} 在导出期间被移除。"],
  [
    "Session {} was written by store {}, and this is store {}. To take it over, import it with `adopt`, and do not continue it in {}.",
    "会话 {1} 由存储 {2} 写入，而这里是存储 {3}。要接管它，请用 `--adopt` 导入，并且不要再在 {4} 中继续。",
  ],
  ["The file is of session {}, and its manifest of {}.", "文件属于会话 {1}，而其清单属于 {2}。"],
  [
    "The file continues session {} behind entry {}, and this store has {} entries of it. Import what is missing first.",
    "文件从会话 {1} 的条目 {2} 之后继续，而这个存储只有 {3} 个条目。请先导入缺少的部分。",
  ],
  [
    "Session {} continued differently in this store: its entry {} is not the one in the file. Nothing was imported.",
    "会话 {1} 在这个存储中的后续不同：条目 {2} 与文件中的不一样。没有导入任何内容。",
  ],
  [
    "A journal cannot be copied to itself. Name another place for the copy.",
    "日志不能复制到自身。请为副本指定另一个位置。",
  ],
  [
    "{} holds sessions or values of its own. Copy into a journal that is new, or continue a copy of the same one.",
    "{1} 中已有自己的会话或值。请复制到新的日志，或继续同一日志的副本。",
  ],
  // What was being done when a warning came.
  ["reading entries for a subscriber{}", "为订阅者读取条目{1}"],
  [", which gets no more", "（它不再收到条目）"],
  ["looking up where a subscriber begins", "查找订阅者的起点"],
  [
    "calling a subscriber (it still gets the next entries; later failures are not reported)",
    "调用订阅者（它仍会收到后面的条目；之后的失败不再报告）",
  ],
  ["reading the {} that another process kept under {}", "读取另一个进程以 {2} 保存的 {1}"],
  ["looking for values that other processes keep", "查找其他进程保存的值"],
  ["calling onWarning (later failures are not reported)", "调用 onWarning（之后的失败不再报告）"],
  ["{}; another process holds the journal, trying again", "{1}（另一个进程占用着日志，正在重试）"],
  ["looking for entries of other processes", "查找其他进程的条目"],
  [
    "watching the journal's file; it is polled every few milliseconds instead, which keeps this process alive while there are subscribers",
    "监视日志文件；改为每隔几毫秒轮询，有订阅者时本进程不会退出",
  ],
  ["writing to the journal", "写入日志"],
  ["closing the journal at the end of the process", "进程结束时关闭日志"],
  ["opening the journal", "打开日志"],
  ["setting up the journal", "建立日志"],
  ["reading the journal", "读取日志"],
  ["removing the artefacts of session {}; the session is kept for now", "移除会话 {1} 的附件；会话暂时保留"],
  ["freeing the space of removed sessions", "释放已移除会话的空间"],
  [
    "listening for entries of other processes; until this works again the journal is polled",
    "监听其他进程的条目；恢复之前改为轮询日志",
  ],
  ["connecting to the journal's database; trying again", "连接日志的数据库（正在重试）"],
];

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.backend.h2.H2Database;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.channel.Channel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.h2.mvstore.MVMap;

/**
 * Serves mongo-java-server on 127.0.0.1: `StandIn PORT FILE [SET]`. With SET it is the only member of a replica set,
 * which the caller has to initiate. It is a stand-in for MongoDB; see README.md.
 */
public class StandIn {
  /** The driver refuses servers that are older than this, as all original versions are. */
  private static final MongoVersion VERSION =
      new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
          return List.of(4, 4, 0);
        }

        @Override
        public int getWireVersion() {
          return 9;
        }
      };

  /** Answers only what is on disk. The original backend writes once a second, and a kill loses acknowledged writes. */
  private static class CommittingBackend extends H2Backend {
    CommittingBackend(String file) {
      super(file);
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      Document answer = super.handleMessage(message);
      commit();
      return answer;
    }

    @Override
    protected MongoDatabase openOrCreateDatabase(String name) {
      return new IndexedDatabase(name);
    }

    private class IndexedDatabase extends H2Database {
      IndexedDatabase(String name) {
        super(name, getMvStore(), getCursorRegistry());
      }

      @Override
      protected MongoCollection<Object> openOrCreateCollection(String name, CollectionOptions options) {
        String space = getFullCollectionNamespace(name);
        MVMap<Object, Document> data = getMvStore().openMap("databases." + space);
        return new IndexedCollection(this, name, options, data, getMvStore().openMap("meta." + space), cursorRegistry);
      }
    }
  }

  /**
   * Finds a document by its id even if the query has more conditions, as a server does. The original collection then
   * examines all of its documents.
   */
  private static class IndexedCollection extends H2Collection {
    IndexedCollection(
        MongoDatabase database,
        String name,
        CollectionOptions options,
        MVMap<Object, Document> data,
        MVMap<String, Object> meta,
        CursorRegistry cursors) {
      super(database, name, options, data, meta, cursors);
    }

    @Override
    protected QueryResult matchDocuments(
        Document query, Document order, int skip, int limit, int batch, Document fields) {
      Document byId = new Document("_id", query.get("_id"));
      for (Index<Object> index : getIndexes())
        if (query.containsKey("_id") && index.canHandle(byId))
          return matchDocuments(query, index.getPositions(byId), order, skip, limit, batch, fields);
      return super.matchDocuments(query, order, skip, limit, batch, fields);
    }
  }

  /** Accepts no writes until its replica set is initiated. A file beside its data records that. */
  private static final class Member extends CommittingBackend {
    private final String host;
    private final String set;
    private final Path begun;

    Member(String file, String host, String set) {
      super(file);
      this.host = host;
      this.set = set;
      this.begun = Path.of(file + ".set");
    }

    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      if (command.equals("replSetInitiate")) return begin();
      String known = command.equals("hello") ? "ismaster" : command;
      Document answer = super.handleCommand(channel, database, known, query);
      if (!answer.containsKey("maxWireVersion")) return answer;
      if (!Files.exists(begun))
        return answer.append("ismaster", false).append("isWritablePrimary", false).append("isreplicaset", true);
      answer.append("isWritablePrimary", true).append("setName", set).append("setVersion", 1);
      return answer.append("hosts", List.of(host)).append("primary", host).append("me", host);
    }

    private Document begin() {
      try {
        Files.writeString(begun, set);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new Document("ok", 1.0);
    }
  }

  public static void main(String[] words) {
    H2Backend backend =
        words.length > 2
            ? new Member(words[1], "127.0.0.1:" + words[0], words[2])
            : new CommittingBackend(words[1]);
    backend.version(VERSION);
    MongoServer server = new MongoServer(backend);
    server.bind("127.0.0.1", Integer.parseInt(words[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
  }
}

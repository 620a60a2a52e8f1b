import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.List;

/** Serves mongo-java-server on 127.0.0.1: `StandIn PORT FILE`. It is a stand-in for MongoDB; see README.md. */
public class StandIn {
  /** The driver refuses servers older than this; the stock versions are. */
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

  /** Answers only what is on disk: the stock backend writes once a second, and a kill loses what it acknowledged. */
  private static final class CommittingBackend extends H2Backend {
    CommittingBackend(String file) {
      super(file);
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      Document answer = super.handleMessage(message);
      commit();
      return answer;
    }
  }

  public static void main(String[] words) {
    CommittingBackend backend = new CommittingBackend(words[1]);
    backend.version(VERSION);
    MongoServer server = new MongoServer(backend);
    server.bind("127.0.0.1", Integer.parseInt(words[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
  }
}
